import type { Kysely, Selectable, Transaction } from 'kysely';
import type { Dialect } from '../database/open-database.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { AssistantLimits } from './limits.ts';
import type { Assistant, AssistantContent, AssistantFilter, AssistantVersion } from './port.ts';
import type { AssistantTables } from './schema.ts';

type Db = Kysely<AssistantTables> | Transaction<AssistantTables>;
type VersionRow = Selectable<AssistantTables['assistant_versions']>;

const contentColumns = [
  ...(['assistant_versions.agent_id', 'assistant_versions.name'] as const),
  ...(['assistant_versions.description', 'assistant_versions.config'] as const),
  ...(['assistant_versions.context', 'assistant_versions.metadata'] as const),
];
const headColumns = [
  ...(['assistants.assistant_id', 'assistants.owner', 'assistants.version'] as const),
  ...(['assistants.created_at', 'assistants.updated_at'] as const),
];

/** Assistants in SQLite or PostgreSQL. */
export class SqlAssistants {
  readonly #db: Kysely<AssistantTables>;
  readonly #dialect: Dialect;
  readonly #limits: AssistantLimits;

  constructor(db: Kysely<AssistantTables>, dialect: Dialect, limits: AssistantLimits) {
    this.#db = db;
    this.#dialect = dialect;
    this.#limits = limits;
  }

  create(
    assistantId: string,
    owner: string,
    content: AssistantContent,
  ): Promise<Assistant | undefined> {
    return this.#db.transaction().execute(async (db) => {
      const now = Date.now();
      const head = { assistant_id: assistantId, owner, created_at: now, updated_at: now };
      const { numInsertedOrUpdatedRows: made } = await db
        .insertInto('assistants')
        .values({ ...head, version: 1, last_version: 1 })
        .onConflict((conflict) => conflict.column('assistant_id').doNothing())
        .executeTakeFirstOrThrow();
      if (Number(made) === 0) return undefined;
      const counted = db.selectFrom('assistants').select(({ fn }) => fn.countAll().as('count'));
      const { count } = await counted.executeTakeFirstOrThrow();
      if (Number(count) > this.#limits.maxAssistants) {
        const message = `There are ${this.#limits.maxAssistants} assistants: delete some of them.`;
        throw new ServiceError('too_many_assistants', message);
      }
      await insertVersion(db, { assistantId, version: 1, createdAt: now, ...content });
      const times = { createdAt: now, updatedAt: now };
      return { assistantId, owner, version: 1, ...times, ...content };
    });
  }

  async read(assistantId: string): Promise<Assistant | undefined> {
    return currentOf(this.#db, assistantId);
  }

  change(
    assistantId: string,
    change: (current: AssistantContent) => AssistantContent,
  ): Promise<Assistant | undefined> {
    return this.#db.transaction().execute(async (db) => {
      const last = await this.#locked(db, assistantId);
      const current = last && (await currentOf(db, assistantId));
      if (!current) return undefined;
      if (last.last_version >= this.#limits.maxVersions) {
        const message = `The assistant has ${this.#limits.maxVersions} versions: make another one.`;
        throw new ServiceError('too_many_assistants', message);
      }
      const version = last.last_version + 1;
      const content = change(contentOf(current));
      const updatedAt = Date.now();
      await insertVersion(db, { assistantId, version, createdAt: updatedAt, ...content });
      await db
        .updateTable('assistants')
        .set({ version, last_version: version, updated_at: updatedAt })
        .where('assistant_id', '=', assistantId)
        .execute();
      const { owner, createdAt } = current;
      return { assistantId, owner, createdAt, version, updatedAt, ...content };
    });
  }

  setVersion(assistantId: string, version: number): Promise<Assistant | undefined> {
    return this.#db.transaction().execute(async (db) => {
      await this.#locked(db, assistantId);
      const known = await db
        .selectFrom('assistant_versions')
        .select('version')
        .where('assistant_id', '=', assistantId)
        .where('version', '=', version)
        .executeTakeFirst();
      if (!known) return undefined;
      await db
        .updateTable('assistants')
        .set({ version, updated_at: Date.now() })
        .where('assistant_id', '=', assistantId)
        .execute();
      return currentOf(db, assistantId);
    });
  }

  async versions(assistantId: string): Promise<AssistantVersion[]> {
    const rows = await this.#db
      .selectFrom('assistant_versions')
      .selectAll()
      .where('assistant_id', '=', assistantId)
      .orderBy('version', 'desc')
      .execute();
    return rows.map((row) => ({
      assistantId: row.assistant_id,
      version: row.version,
      createdAt: Number(row.created_at),
      ...parsedContent(row),
    }));
  }

  async delete(assistantId: string): Promise<boolean> {
    const { numDeletedRows: deleted } = await this.#db
      .deleteFrom('assistants')
      .where('assistant_id', '=', assistantId)
      .executeTakeFirstOrThrow();
    return Number(deleted) > 0;
  }

  async list({ agentId, name }: AssistantFilter): Promise<Assistant[]> {
    let query = withContent(this.#db);
    if (agentId !== undefined) query = query.where('assistant_versions.agent_id', '=', agentId);
    const rows = await query.orderBy('assistants.created_at', 'desc').execute();
    const wanted = name?.toLowerCase() ?? '';
    return rows.map(assistantOf).filter((one) => one.name.toLowerCase().includes(wanted));
  }

  /** The newest version's number; PostgreSQL lets one change at a time see it, SQLite has one writer. */
  async #locked(db: Db, assistantId: string): Promise<{ last_version: number } | undefined> {
    const query = db
      .selectFrom('assistants')
      .select('last_version')
      .where('assistant_id', '=', assistantId);
    return (this.#dialect === 'postgresql' ? query.forUpdate() : query).executeTakeFirst();
  }
}

function withContent(db: Db) {
  return db
    .selectFrom('assistants')
    .innerJoin('assistant_versions', (join) =>
      join
        .onRef('assistant_versions.assistant_id', '=', 'assistants.assistant_id')
        .onRef('assistant_versions.version', '=', 'assistants.version'),
    )
    .select([...headColumns, ...contentColumns]);
}

async function currentOf(db: Db, assistantId: string): Promise<Assistant | undefined> {
  const query = withContent(db).where('assistants.assistant_id', '=', assistantId);
  const row = await query.executeTakeFirst();
  return row && assistantOf(row);
}

async function insertVersion(db: Db, made: AssistantVersion): Promise<void> {
  const { assistantId, version, agentId, name, description, createdAt } = made;
  await db
    .insertInto('assistant_versions')
    .values({
      ...{ assistant_id: assistantId, version, agent_id: agentId, name, created_at: createdAt },
      description: description ?? null,
      config: JSON.stringify(made.config),
      context: JSON.stringify(made.context),
      metadata: JSON.stringify(made.metadata),
    })
    .execute();
}

type ContentRow = Omit<VersionRow, 'assistant_id' | 'version' | 'created_at'>;
type AssistantRow = ContentRow &
  Pick<
    Selectable<AssistantTables['assistants']>,
    'assistant_id' | 'owner' | 'version' | 'created_at' | 'updated_at'
  >;

function assistantOf(row: AssistantRow): Assistant {
  return {
    assistantId: row.assistant_id,
    owner: row.owner,
    version: row.version,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    ...parsedContent(row),
  };
}

function parsedContent(row: ContentRow): AssistantContent {
  const object = (text: string): Record<string, unknown> =>
    JSON.parse(text) as Record<string, unknown>; // as insertVersion wrote it
  return {
    agentId: row.agent_id,
    name: row.name,
    ...(row.description !== null && { description: row.description }),
    config: object(row.config),
    context: object(row.context),
    metadata: object(row.metadata),
  };
}

function contentOf({ agentId, name, description, config, context, metadata }: Assistant) {
  const described = description === undefined ? {} : { description };
  return { agentId, name, ...described, config, context, metadata };
}
