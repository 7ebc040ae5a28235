/** Where the room reports what went wrong behind the scenes. */
export interface StorageLogger {
  warn(fields: Record<string, unknown>, message: string): void;
  debug(fields: Record<string, unknown>, message: string): void;
}
