import type { Kysely, Selectable, Transaction } from 'kysely';
import type { Dialect } from '../database/open-database.ts';
import { ServiceError } from '../errors/service-error.ts';
import { jsonText } from '../model/json.ts';
import type { Principal } from '../model/principal.ts';
import type { CronLimits } from './limits.ts';
import type { Cron, CronContent, CronFilter, CronsPort, DueCron } from './port.ts';
import { newestTime, nextTime, requireSchedule } from './schedule.ts';
import type { CronTables } from './schema.ts';

type Db = Kysely<CronTables> | Transaction<CronTables>;

/** Crons in SQLite or PostgreSQL. */
export class SqlCrons implements Omit<CronsPort, 'onChange' | 'mayHaveSome' | 'close'> {
  readonly #db: Kysely<CronTables>;
  readonly #dialect: Dialect;
  readonly #limits: CronLimits;

  constructor(db: Kysely<CronTables>, dialect: Dialect, limits: CronLimits) {
    this.#db = db;
    this.#dialect = dialect;
    this.#limits = limits;
  }

  create(cronId: string, principal: Principal, content: CronContent): Promise<Cron> {
    this.#requireValid(content);
    return this.#db.transaction().execute(async (db) => {
      const counted = db.selectFrom('crons').select(({ fn }) => fn.countAll().as('count'));
      const { count } = await counted.executeTakeFirstOrThrow();
      if (Number(count) >= this.#limits.maxCrons) {
        const message = `There are ${this.#limits.maxCrons} crons: delete some of them.`;
        throw new ServiceError('too_many_crons', message);
      }
      const now = Date.now();
      const times = { createdAt: now, updatedAt: now, ...nextOf(content, now) };
      const cron: Cron = { cronId, principal, ...content, ...times };
      await db.insertInto('crons').values(rowOf(cron)).execute();
      return cron;
    });
  }

  async read(cronId: string): Promise<Cron | undefined> {
    return cronIn(this.#db, cronId);
  }

  change(cronId: string, change: (current: CronContent) => CronContent): Promise<Cron | undefined> {
    return this.#db.transaction().execute(async (db) => {
      await this.#lock(db, cronId);
      const current = await cronIn(db, cronId);
      if (!current) return undefined;
      const { principal, createdAt, updatedAt: _, nextAt, ...before } = current;
      const content = change(before);
      this.#requireValid(content);
      const updatedAt = Date.now();
      // What is due already stays due, unless its times are others now.
      const next = hasSameTimes(before, content)
        ? { ...(nextAt !== undefined && { nextAt }) }
        : nextOf(content, updatedAt);
      const cron: Cron = { ...content, cronId, principal, createdAt, updatedAt, ...next };
      await db.updateTable('crons').set(rowOf(cron)).where('cron_id', '=', cronId).execute();
      return cron;
    });
  }

  async delete(cronId: string): Promise<boolean> {
    const { numDeletedRows: deleted } = await this.#db
      .deleteFrom('crons')
      .where('cron_id', '=', cronId)
      .executeTakeFirstOrThrow();
    return Number(deleted) > 0;
  }

  async list({ assistantId, threadId, isEnabled }: CronFilter): Promise<Cron[]> {
    let query = this.#db.selectFrom('crons').selectAll();
    if (assistantId !== undefined) query = query.where('assistant_id', '=', assistantId);
    if (threadId !== undefined) query = query.where('thread_id', '=', threadId);
    if (isEnabled !== undefined) query = query.where('is_enabled', '=', isEnabled ? 1 : 0);
    const rows = await query.orderBy('created_at', 'desc').orderBy('cron_id', 'desc').execute();
    return rows.map(cronOf);
  }

  async due(
    now: number,
    { limit, except }: { limit: number; except: readonly string[] },
  ): Promise<DueCron[]> {
    let query = this.#db.selectFrom('crons').selectAll().where('next_at', '<=', now);
    if (except.length > 0) query = query.where('cron_id', 'not in', except);
    const rows = await query.orderBy('next_at').limit(limit).execute();
    return rows.map(cronOf).flatMap((cron) => {
      const { nextAt } = cron;
      if (nextAt === undefined) return [];
      return [{ cron: { ...cron, nextAt }, at: newestTime(cron, nextAt, now) }];
    });
  }

  async nextDue(except: readonly string[]): Promise<number | undefined> {
    let query = this.#db.selectFrom('crons').select(({ fn }) => fn.min('next_at').as('next'));
    if (except.length > 0) query = query.where('cron_id', 'not in', except);
    const { next } = await query.executeTakeFirstOrThrow();
    return next === null ? undefined : Number(next);
  }

  async advance({ cron, at }: DueCron): Promise<void> {
    await this.#db
      .updateTable('crons')
      .set({ next_at: nextTime(cron, at) ?? null })
      .where('cron_id', '=', cron.cronId)
      .where('next_at', '=', cron.nextAt)
      .where('updated_at', '=', cron.updatedAt)
      .execute();
  }

  #requireValid(content: CronContent): void {
    requireSchedule(content);
    const size = Buffer.byteLength(content.payload + JSON.stringify(content.metadata));
    const { maxBytes } = this.#limits;
    if (size <= maxBytes) return;
    const message = `The run of a cron takes at most ${maxBytes} bytes as JSON, not ${size}.`;
    throw new ServiceError('payload_too_large', message, { details: { size, limit: maxBytes } });
  }

  /** PostgreSQL lets one change at a time see the row, SQLite has one writer. */
  async #lock(db: Db, cronId: string): Promise<void> {
    if (this.#dialect !== 'postgresql') return;
    const row = db.selectFrom('crons').select('cron_id').where('cron_id', '=', cronId);
    await row.forUpdate().execute();
  }
}

function nextOf(content: CronContent, now: number): { nextAt?: number } {
  const nextAt = content.isEnabled ? nextTime(content, now) : undefined;
  return nextAt === undefined ? {} : { nextAt };
}

function hasSameTimes(one: CronContent, other: CronContent): boolean {
  return (
    one.schedule === other.schedule &&
    one.timezone === other.timezone &&
    one.endTime === other.endTime &&
    one.isEnabled === other.isEnabled
  );
}

async function cronIn(db: Db, cronId: string): Promise<Cron | undefined> {
  const query = db.selectFrom('crons').selectAll().where('cron_id', '=', cronId);
  const row = await query.executeTakeFirst();
  return row && cronOf(row);
}

function rowOf(cron: Cron) {
  return {
    cron_id: cron.cronId,
    principal: JSON.stringify(cron.principal),
    assistant_id: cron.assistantId,
    thread_id: cron.threadId ?? null,
    on_run_completed: cron.onRunCompleted ?? null,
    schedule: cron.schedule,
    timezone: cron.timezone ?? null,
    end_time: cron.endTime ?? null,
    is_enabled: cron.isEnabled ? 1 : 0,
    metadata: JSON.stringify(cron.metadata),
    payload: cron.payload,
    created_at: cron.createdAt,
    updated_at: cron.updatedAt,
    next_at: cron.nextAt ?? null,
  };
}

function cronOf(row: Selectable<CronTables['crons']>): Cron {
  const { thread_id: threadId, timezone, end_time: endTime, next_at: nextAt } = row;
  const { on_run_completed: completed } = row;
  // The JSON is what rowOf wrote.
  return {
    cronId: row.cron_id,
    principal: JSON.parse(row.principal) as Principal,
    assistantId: row.assistant_id,
    ...(threadId !== null && { threadId }),
    ...(completed !== null && { onRunCompleted: completed === 'keep' ? 'keep' : 'delete' }),
    schedule: row.schedule,
    ...(timezone !== null && { timezone }),
    ...(endTime !== null && { endTime: Number(endTime) }),
    isEnabled: row.is_enabled === 1,
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    payload: jsonText(row.payload),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    ...(nextAt !== null && { nextAt: Number(nextAt) }),
  };
}
