import type { Kysely, Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { ServiceError } from '../errors/service-error.ts';
import type { RunUuid, ThreadId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import type { NewWebhook, OutboxPort, Webhook } from './port.ts';
import type { WebhookTables } from './schema.ts';

/** A run is rarely over sooner; its end makes it due. */
const FIRST_LOOK_MS = 5_000;

/** Webhooks in SQLite or PostgreSQL. */
export class SqlOutbox implements Omit<OutboxPort, 'recover' | 'onAdd' | 'mayHaveSome' | 'close'> {
  readonly #db: Kysely<WebhookTables>;
  readonly #limit: number;

  constructor(db: Kysely<WebhookTables>, limit: number) {
    this.#db = db;
    this.#limit = limit;
  }

  async add({ threadId, runUuid, url, principal }: NewWebhook): Promise<boolean> {
    const counted = this.#db.selectFrom('webhooks').select(({ fn }) => fn.countAll().as('count'));
    const { count } = await counted.executeTakeFirstOrThrow();
    if (Number(count) >= this.#limit) {
      const message = `There are ${this.#limit} webhooks that are not delivered.`;
      throw new ServiceError('too_many_webhooks', message);
    }
    const now = Date.now();
    const { numInsertedOrUpdatedRows: added } = await this.#db
      .insertInto('webhooks')
      .values({
        ...{ webhook_id: uuidv7(), thread_id: threadId, run_uuid: runUuid, url },
        ...{ principal: JSON.stringify(principal), created_at: now },
        ...{ tries: 0, tried_at: null, next_at: now + FIRST_LOOK_MS },
      })
      .onConflict((conflict) => conflict.columns(['thread_id', 'run_uuid']).doNothing())
      .executeTakeFirstOrThrow();
    return Number(added) > 0;
  }

  async remove(threadId: ThreadId, runUuid: RunUuid): Promise<void> {
    await this.#db
      .deleteFrom('webhooks')
      .where('thread_id', '=', threadId)
      .where('run_uuid', '=', runUuid)
      .execute();
  }

  async take(now: number, until: number, limit: number): Promise<Webhook[]> {
    const due = this.#db.selectFrom('webhooks').selectAll().where('next_at', '<=', now);
    const taken: Webhook[] = [];
    for (const row of await due.orderBy('next_at').limit(limit).execute()) {
      const webhook = { ...webhookOf(row), nextAt: until };
      if (await this.#set(row, { next_at: until })) taken.push(webhook);
    }
    return taken;
  }

  async finish({ webhookId, nextAt }: Webhook): Promise<void> {
    await this.#db
      .deleteFrom('webhooks')
      .where('webhook_id', '=', webhookId)
      .where('next_at', '<=', nextAt)
      .execute();
  }

  async putBack(
    { webhookId, nextAt }: Webhook,
    next: Pick<Webhook, 'nextAt' | 'tries' | 'triedAt'>,
  ): Promise<void> {
    const row = { webhook_id: webhookId, next_at: nextAt };
    const counts = { tries: next.tries, tried_at: next.triedAt ?? null };
    // What was hastened meanwhile stays due.
    if (await this.#set(row, { ...counts, next_at: next.nextAt })) return;
    await this.#db
      .updateTable('webhooks')
      .set(counts)
      .where('webhook_id', '=', webhookId)
      .execute();
  }

  async hasten(threadId: ThreadId, runUuid: RunUuid): Promise<void> {
    await this.#db
      .updateTable('webhooks')
      .set({ next_at: Date.now() })
      .where('thread_id', '=', threadId)
      .where('run_uuid', '=', runUuid)
      .where('tries', '=', 0)
      .execute();
  }

  async nextDue(): Promise<number | undefined> {
    const query = this.#db.selectFrom('webhooks').select(({ fn }) => fn.min('next_at').as('next'));
    const { next } = await query.executeTakeFirstOrThrow();
    return next === null ? undefined : Number(next);
  }

  async hastenAll(): Promise<void> {
    await this.#db.updateTable('webhooks').set({ next_at: Date.now() }).execute();
  }

  /** By compare-and-set: false when another one was faster. */
  async #set(
    { webhook_id: id, next_at: nextAt }: { webhook_id: string; next_at: number | string },
    values: { next_at: number; tries?: number; tried_at?: number | null },
  ): Promise<boolean> {
    const { numUpdatedRows: changed } = await this.#db
      .updateTable('webhooks')
      .set(values)
      .where('webhook_id', '=', id)
      .where('next_at', '=', Number(nextAt))
      .executeTakeFirstOrThrow();
    return Number(changed) > 0;
  }
}

function webhookOf(row: Selectable<WebhookTables['webhooks']>): Webhook {
  const { tried_at: triedAt } = row;
  // The ids and the JSON are what `add` wrote.
  return {
    webhookId: row.webhook_id,
    threadId: row.thread_id as ThreadId,
    runUuid: row.run_uuid as RunUuid,
    url: row.url,
    principal: JSON.parse(row.principal) as Principal,
    createdAt: Number(row.created_at),
    tries: row.tries,
    ...(triedAt !== null && { triedAt: Number(triedAt) }),
    nextAt: Number(row.next_at),
  };
}
