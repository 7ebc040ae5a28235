/*
 * `store/port.ts` is a key-value store of JSON; `store/sql-store.ts` keeps it in SQLite or PostgreSQL with one schema
 * and the same queries (kysely, migrations in `schema.ts`). It opens the database when it is first needed, and again
 * after every loss.
 *
 * Paths are stored as text in which each label has an end mark, and compare by code points in both databases: a prefix
 * is a range of the primary key. Metadata is found by tags, one hash for each member, so that a filter has the same
 * meaning in both.
 *
 * SQLite is synchronous and runs in its own thread (`sqlite-thread.ts`), which is terminated when a statement takes too
 * long. `threads/store-service.ts` asks the policy, for requests and for agents (`agent-store.ts`) alike.
 */
import { sql } from 'kysely';
import { withTimeLimit } from '../concurrency/concurrency.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import { refreshItems, removeExpired } from './expiry.ts';
import { itemsNotIndexed, setIndexed } from './item-vectors.ts';
import { deleteItem, getItem, headItem, putItem } from './items.ts';
import { HEALTH_LIMIT_MS } from './limits.ts';
import { listNamespaces } from './namespaces.ts';
import type { StorePort } from './port.ts';
import { migrate } from './schema.ts';
import { searchItems } from './search.ts';
import type { OpenDatabase, SqlSource } from './sql-source.ts';

/** The store over a database, which is opened when it is first needed and again after every loss. */
export class SqlStore implements StorePort {
  readonly #source: SqlSource;
  readonly #now: () => number;
  #opening: Promise<OpenDatabase> | undefined;
  /** The database in use; set once it is open and has this version's schema. */
  #opened: OpenDatabase | undefined;
  /** The close of the previous database: the next one is opened after it. */
  #closing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(source: SqlSource, clock: () => number = Date.now) {
    this.#source = source;
    this.#now = clock;
  }

  put: StorePort['put'] = (item) =>
    this.#use(({ db }) => putItem(db, this.#source.dialect, item, this.#now()));
  get: StorePort['get'] = (itemKey) => this.#use(({ db }) => getItem(db, itemKey, this.#now()));
  head: StorePort['head'] = (itemKey) => this.#use(({ db }) => headItem(db, itemKey, this.#now()));
  delete: StorePort['delete'] = (itemKey) => this.#use(({ db }) => deleteItem(db, itemKey));
  search: StorePort['search'] = (query) =>
    this.#use(({ db, vectorSupport: vectors }) =>
      searchItems({ db, query, vectors, now: this.#now() }),
    );
  refresh: StorePort['refresh'] = (itemKeys) =>
    this.#use(({ db }) => refreshItems(db, itemKeys, this.#now()));
  removeExpired: StorePort['removeExpired'] = (limit) =>
    this.#use(({ db }) => removeExpired(db, limit, this.#now()));
  notIndexed: StorePort['notIndexed'] = (index, limit, after) =>
    this.#use(({ db }) => itemsNotIndexed(db, { index, limit, after }, this.#now()));
  setIndexed: StorePort['setIndexed'] = (item, indexed) =>
    this.#use(({ db }) => setIndexed(db, this.#source.dialect, item, indexed));
  listNamespaces: StorePort['listNamespaces'] = (query) =>
    this.#use(({ db }) => listNamespaces(db, query, this.#now()));

  async isHealthy(): Promise<boolean> {
    const response = this.#use(({ db }) => sql`select 1`.execute(db)).then(() => true);
    return withTimeLimit(response, HEALTH_LIMIT_MS, 'The health check').catch(() => false);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.catch(() => undefined);
    if (this.#opened) this.#forget(this.#opened);
    await this.#closing;
  }

  async #use<T>(work: (database: OpenDatabase) => Promise<T>): Promise<T> {
    let database: OpenDatabase | undefined;
    try {
      database = await this.#database();
      return await work(database);
    } catch (error) {
      if (isServiceError(error)) throw error;
      const failure = this.#source.failureOf(error);
      if (failure === 'unforeseen' && !this.#isClosed) throw error;
      if (failure === 'lost' && database) this.#forget(database);
      if (failure === 'full') throw full(error);
      throw unavailable(error);
    }
  }

  async #database(): Promise<OpenDatabase> {
    const database = await this.#open();
    if (await database.isCurrent()) return database;
    this.#forget(database);
    return this.#open();
  }

  async #open(): Promise<OpenDatabase> {
    if (this.#isClosed) throw unavailable();
    if (this.#opened) return this.#opened;
    this.#opening ??= this.#openNow().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #openNow(): Promise<OpenDatabase> {
    await this.#closing;
    const database = await this.#source.open();
    try {
      await migrate(database.db, this.#source.dialect);
    } catch (error) {
      await database.close();
      throw error;
    }
    this.#opened = database;
    return database;
  }

  /** Closes a database that is no longer usable, once for all callers that notice it. */
  #forget(database: OpenDatabase): void {
    if (this.#opened !== database) return;
    this.#opened = undefined;
    this.#closing = database.close().catch(() => undefined);
  }
}

function unavailable(cause?: unknown): ServiceError {
  return new ServiceError('store_unavailable', 'The store cannot be reached.', {
    ...(cause === undefined ? {} : { cause }),
  });
}

function full(cause: unknown): ServiceError {
  const message = 'The disk of the store is full: nothing can be put into it until there is room.';
  return new ServiceError('storage_full', message, { cause });
}
