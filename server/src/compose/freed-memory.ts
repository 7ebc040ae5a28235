import process from 'node:process';
import { hasSqlite } from '../config/sqlite-runtime.ts';

/** The second parameter is documented; the types lack it. */
interface Extensible {
  loadExtension(file: string, entryPoint?: string): unknown;
}

/**
 * Returns memory to the system that the process has freed and glibc's allocator keeps, in pieces between what is in
 * use: most of its 50 to 100 MB after load. Only its own `malloc_trim` does that, which Node does not expose and SQLite
 * can call: an extension of a database is a function of a library, named by the caller. Its only argument is then how
 * much stays at the end of the first heap (a pointer, so all of it), and SQLite takes the result 1, "some was
 * returned", for a failure of the extension.
 */
export async function returnFreedMemory(): Promise<void> {
  if (process.platform !== 'linux' || !hasSqlite()) return;
  const { default: Database } = await import('better-sqlite3');
  const database = new Database(':memory:');
  const extensible: Extensible = database;
  try {
    extensible.loadExtension('libc.so.6', 'malloc_trim');
  } catch {
    // As it is called above; or another C library, which keeps less.
  } finally {
    database.close();
  }
}
