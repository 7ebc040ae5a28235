/** What threads keep outside of themselves, as the engine knows. */
export interface ThreadReferences {
  /**
   * The hashes that the thread references after every change that was acknowledged; `gone` only when it is certain
   * that there is no such thread. Rejects when that cannot be told.
   */
  references(threadId: string): Promise<ReadonlySet<string> | 'gone'>;
}

/** Where the room reports what went wrong behind the scenes. */
export interface StorageLogger {
  warn(fields: Record<string, unknown>, message: string): void;
  debug(fields: Record<string, unknown>, message: string): void;
}
