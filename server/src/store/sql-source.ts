import type { Dialect, StoreDatabase } from './schema.ts';

/** What a failed statement means for the store. */
export type Failure =
  /** The database is reachable and cannot run the statement now. */
  | 'busy'
  /** The disk is full. */
  | 'full'
  /** The connection is lost: the database has to be opened again. */
  | 'lost'
  /** Not caused by the database. */
  | 'unforeseen';

/** What compares vectors: an extension of the database, which PostgreSQL has in some schema, or this process. */
export type VectorSupport =
  | { comparedBy: 'sqlite-vec' }
  | { comparedBy: 'pgvector'; schema: string }
  | { comparedBy: 'process' };

/** An open database. */
export interface OpenDatabase {
  readonly db: StoreDatabase;
  /** Checked at the first call. */
  vectorSupport(): Promise<VectorSupport>;
  /** False when the open database is no longer the one that the settings name, such as a removed file. */
  isCurrent(): Promise<boolean>;
  /** Waits for running statements, for a limited time. */
  close(): Promise<void>;
}

/** A kind of database, and how to reach it. */
export interface SqlSource {
  readonly dialect: Dialect;
  open(): Promise<OpenDatabase>;
  failureOf(error: unknown): Failure;
}
