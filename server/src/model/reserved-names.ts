/** The beginning of the names that LangGraph keeps for itself: `__pregel_send` and the like hand functions to a node. */
export const RESERVED_PREFIX = '__';

/** The first member of a run's `configurable` or context that nobody but LangGraph may set. */
export function reservedName(given: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys(given).find((name) => name.startsWith(RESERVED_PREFIX));
}
