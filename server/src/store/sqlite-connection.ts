import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { withTimeLimit } from '../concurrency/concurrency.ts';
import { CLOSE_LIMIT_MS, STATEMENT_LIMIT_MS } from './limits.ts';
import type { SqliteResponse, SqliteRequest, SqliteThreadData } from './sqlite-protocol.ts';

/** An error of SQLite, named by its result code. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The thread has ended or does not respond. */
export const THREAD_LOST = 'THREAD_LOST';

interface Waiting {
  resolve(response: SqliteResponse): void;
  reject(error: Error): void;
}

/** The connection to a SQLite file in a worker thread. Statements run in the order of their requests. */
export class SqliteConnection implements DatabaseConnection {
  readonly #thread: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lost: SqliteError | undefined;
  #lastId = 0;

  constructor(path: string, busyLimitMs: number) {
    const workerData: SqliteThreadData = { path, busyLimitMs };
    // In the same folder as this file, in a checkout and when built.
    const file = new URL(`./sqlite-thread${extname(import.meta.url)}`, import.meta.url);
    this.#thread = new Worker(file, { workerData });
    this.#thread.on('message', (response: SqliteResponse) => {
      this.#waiting.get(response.id)?.resolve(response);
    });
    this.#thread.on('error', (error) => this.#lose(error.message));
    this.#thread.on('exit', () => this.#lose('The thread ended.'));
    // It closes with the service and keeps no process alive.
    this.#thread.unref();
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { sql, parameters } = query;
    const { rows, changes } = await this.#ask({ sql, parameters }, STATEMENT_LIMIT_MS);
    return {
      rows: rows as R[], // the selected columns, as the type of the statement declares
      ...(changes === undefined ? {} : { numAffectedRows: BigInt(changes) }),
    };
  }

  // eslint-disable-next-line require-yield -- nothing of the store is streamed
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('The store streams no statement.');
  }

  /** Ends the thread after the pending requests, after two seconds at the latest. */
  async close(): Promise<void> {
    if (!this.#lost) {
      const closed = this.#ask({ close: true }, CLOSE_LIMIT_MS).catch(() => undefined);
      // A later request would open the file again.
      this.#lost = new SqliteError(THREAD_LOST, 'The connection is closed.');
      await closed;
    }
    await withTimeLimit(this.#thread.terminate(), CLOSE_LIMIT_MS, 'The end of the thread').catch(
      () => undefined,
    );
  }

  async #ask(
    request: { sql: string; parameters: readonly unknown[] } | { close: true },
    limitMs: number,
  ): Promise<Extract<SqliteResponse, { rows: unknown }>> {
    if (this.#lost) throw this.#lost;
    this.#lastId += 1;
    const id = this.#lastId;
    const pending = new Promise<SqliteResponse>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    pending.catch(() => undefined); // raced below; a late rejection needs no handler
    const asked: SqliteRequest = { id, ...request };
    this.#thread.postMessage(asked);
    try {
      const response = await withTimeLimit(pending, limitMs, 'The statement');
      if ('error' in response) throw new SqliteError(response.error.code, response.error.message);
      return response;
    } catch (error) {
      if (error instanceof SqliteError) throw error;
      // The thread is stuck in this statement: all queued statements are lost as well.
      throw this.#lose(String(error));
    } finally {
      this.#waiting.delete(id);
    }
  }

  #lose(reason: string): SqliteError {
    this.#lost ??= new SqliteError(THREAD_LOST, reason);
    for (const { reject } of this.#waiting.values()) reject(this.#lost);
    this.#waiting.clear();
    void this.#thread.terminate();
    return this.#lost;
  }
}
