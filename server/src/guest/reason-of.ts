/** What went wrong, in the words that reach the client. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
