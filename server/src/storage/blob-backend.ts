/*
 * Backends (`storage/blob-backend.ts`): a directory (`threads/<thread>/<hash>`: written beside, synchronised, renamed,
 * the folder synchronised) and a bucket. Content-addressed within the thread: threads share nothing, so deleting one
 * never asks about others. Every read is checked against hash and size.
 *
 * One storage, one engine database: the storage carries the id of the engine's namespace, and a service with another
 * one does not start. Otherwise an exchanged database, which knows no thread, would empty the storage.
 */
/** An object of a thread, as a backend lists it. */
export interface ListedObject {
  /** SHA-256 of its content, 64 hex digits. */
  hash: string;
  /** Since it was last written: a put of what is there already makes it young again. */
  ageMs: number;
}

/**
 * Where payloads lie: a directory or a bucket. Knows nothing of references. Rejects with `storage_unavailable` or
 * `storage_full` and tries nothing twice.
 */
export interface BlobBackend {
  /** For sentences: `the directory …`, `the bucket …`. */
  readonly place: string;
  /** Durable when it resolves. */
  put(threadId: string, hash: string, bytes: Uint8Array): Promise<void>;
  /** Undefined: there is no such object. */
  get(threadId: string, hash: string): Promise<Uint8Array | undefined>;
  /** Idempotent. */
  remove(threadId: string, hash: string): Promise<void>;
  list(threadId: string): Promise<ListedObject[]>;
  /** What is left of a thread without objects; one that has got some meanwhile is left alone. */
  removeThread(threadId: string): Promise<void>;
  listThreads(): AsyncIterable<string>;
  /** Remains of writes that were never finished, unless they are younger. */
  removeDrafts(options: { olderThanMs: number }): Promise<void>;
  /** One small text beside the objects. */
  readMark(): Promise<string | undefined>;
  writeMark(text: string): Promise<void>;
  close(): void;
}
