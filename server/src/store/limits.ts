/** Values of one answer together; the first is given whatever it has. */
export const PAGE_BYTES = 16 * 1024 * 1024;

/** Values that are read at once while items are looked through. */
export const WALK_BYTES = 4 * 1024 * 1024;

/** Rows that are read at once while items or paths are looked through. */
export const WALK_ROWS = 500;

/** How long one statement may take. */
export const STATEMENT_LIMIT_MS = 5_000;

/** How long a new connection may take. */
export const CONNECT_LIMIT_MS = 3_000;

/** How long SQLite waits for another process that writes. */
export const BUSY_LIMIT_MS = 2_000;

/** How long a health check waits. */
export const HEALTH_LIMIT_MS = 2_000;

/** How long the end of the last statements is waited for at a stop. */
export const CLOSE_LIMIT_MS = 2_000;

/** How long a statement waits until one of the connections is free. */
export const TURN_LIMIT_MS = 10_000;

/** Connections to PostgreSQL of one service. */
export const MAX_CONNECTIONS = 10;

/** Rows that are ranked by their score at once while a filter looks through them. */
export const RANK_ROWS = 10_000;

/** Vectors that are read at once where PostgreSQL cannot compare them itself. */
export const WALK_VECTORS = 500;
