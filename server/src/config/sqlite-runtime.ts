/** With an older Node.js, better-sqlite3 ends the whole process when it opens a database. */
export const OLDEST_SQLITE_NODE = 22;

/** Whether SQLite can be used in this process. Older versions occur in Electron before version 35. */
export function hasSqlite(): boolean {
  return Number(process.versions.node.split('.')[0]) >= OLDEST_SQLITE_NODE;
}
