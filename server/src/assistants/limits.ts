/** Assistants that one service keeps. */
export const MAX_ASSISTANTS = 5_000;

/** Versions of one assistant. */
export const MAX_VERSIONS = 1_000;
