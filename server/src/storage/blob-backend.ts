/*
 * Backends (`storage/blob-backend.ts`): a directory (`threads/<thread>/<hash>`: written as a draft, synchronised,
 * renamed, the folder synchronised) and a bucket. Content-addressed within the thread: threads share no objects, so
 * deleting one never concerns others. Every read is checked against hash and size.
 *
 * One storage belongs to one engine database: the storage carries the id of the engine's namespace, and a service with
 * another one does not start. Otherwise a replaced database, which knows no thread, would empty the storage.
 */
/** An object of a thread, as a backend lists it. */
export interface ListedObject {
  /** SHA-256 of its content, 64 hex digits. */
  hash: string;
  /** Time since it was last written: a repeated put resets it. */
  ageMs: number;
}

/**
 * Stores payloads: a directory or a bucket. It knows no references. Rejects with `storage_unavailable` or
 * `storage_full` and never retries.
 */
export interface BlobBackend {
  /** Used in messages: `the directory …`, `the bucket …`. */
  readonly description: string;
  /** Durable when it resolves. */
  put(threadId: string, hash: string, bytes: Uint8Array): Promise<void>;
  /** Undefined: no such object exists. */
  get(threadId: string, hash: string): Promise<Uint8Array | undefined>;
  /** Idempotent. */
  remove(threadId: string, hash: string): Promise<void>;
  list(threadId: string): Promise<ListedObject[]>;
  /** Removes what remains of a thread without objects; a thread that has got objects meanwhile is kept. */
  removeThread(threadId: string): Promise<void>;
  listThreads(): AsyncIterable<string>;
  /** Removes unfinished writes of at least this age. */
  removeDrafts(options: { olderThanMs: number }): Promise<void>;
  /** One small text that is stored next to the objects. */
  readMark(): Promise<string | undefined>;
  writeMark(text: string): Promise<void>;
  close(): void;
}
