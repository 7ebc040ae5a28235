/** Bytes of all values in one page; the first item is returned whatever its size. */
export const PAGE_BYTES = 16 * 1024 * 1024;

/** Bytes of the values that are read at once during a scan of items. */
export const WALK_BYTES = 4 * 1024 * 1024;

/** Rows that are read at once during a scan of items or paths. */
export const WALK_ROWS = 500;

/** How long one statement may take. */
export const STATEMENT_LIMIT_MS = 5_000;

/** How long opening a new connection may take. */
export const CONNECT_LIMIT_MS = 3_000;

/** How long SQLite waits for another process that writes. */
export const BUSY_LIMIT_MS = 2_000;

/** How long a health check waits. */
export const HEALTH_LIMIT_MS = 2_000;

/** How long a stop waits for the last statements to end. */
export const CLOSE_LIMIT_MS = 2_000;

/** How long a statement waits for a free connection. */
export const TURN_LIMIT_MS = 10_000;

/** Connections of one service to PostgreSQL. */
export const MAX_CONNECTIONS = 10;

/** Rows that are ranked by score at once during a filtered scan. */
export const RANK_ROWS = 10_000;

/** Vectors that are read at once where PostgreSQL cannot compare them itself. */
export const WALK_VECTORS = 500;
