/** Settings that are passed to the SQLite thread. */
export interface SqliteThreadData {
  path: string;
  busyLimitMs: number;
}

/** One statement; `close` is the last request. */
export type SqliteRequest =
  { id: number; sql: string; parameters: readonly unknown[] } | { id: number; close: true };

export type SqliteResponse =
  | { id: number; rows: unknown[]; changes?: number }
  | { id: number; error: { code: string; message: string } };
