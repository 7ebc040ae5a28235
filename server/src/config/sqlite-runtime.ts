/** Below it better-sqlite3 ends the whole process when it opens a database. */
export const OLDEST_SQLITE_NODE = 22;

/** Whether SQLite can be used in this process. Older ones are an Electron of before its version 35. */
export function hasSqlite(): boolean {
  return Number(process.versions.node.split('.')[0]) >= OLDEST_SQLITE_NODE;
}
