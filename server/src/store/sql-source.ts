import type { Dialect, StoreDatabase } from './schema.ts';

/** What a failed statement means for the store. */
export type Failure =
  /** The database is there and cannot do it now. */
  | 'busy'
  /** Nothing more can be written. */
  | 'full'
  /** The way to the database is gone: it has to be opened anew. */
  | 'lost'
  /** Not the database's fault. */
  | 'unforeseen';

/** Who compares vectors: the database by an extension, which PostgreSQL has in some schema, or this process. */
export type VectorSupport =
  | { comparedBy: 'sqlite-vec' }
  | { comparedBy: 'pgvector'; schema: string }
  | { comparedBy: 'process' };

/** An open database. */
export interface OpenDatabase {
  readonly db: StoreDatabase;
  /** Finds out at the first call. */
  vectorSupport(): Promise<VectorSupport>;
  /** False when what was opened is no longer what the settings name, such as a file that was removed. */
  isCurrent(): Promise<boolean>;
  /** Waits for a limited time for what runs. */
  close(): Promise<void>;
}

/** A kind of database, and how to reach it. */
export interface SqlSource {
  readonly dialect: Dialect;
  open(): Promise<OpenDatabase>;
  failureOf(error: unknown): Failure;
}
