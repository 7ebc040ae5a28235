/** A count is kept for 20 times the time that it took, so that counting takes at most a twentieth of the time. */
const KEPT_TIMES = 20;

/** A count that takes less time than this is not cached. */
const QUICK_MS = 10;

/** At most this many counts are cached; the oldest are dropped first. */
const KEPT_COUNTS = 100;

/**
 * The same count, cached where counting is slow: over 50,000 rows it takes the engine's only connection to its database
 * for tenths of a second. Counts may then be some seconds old.
 */
export function cachedCount(
  count: (query: string) => Promise<number>,
  now: () => number = () => performance.now(),
): (query: string) => Promise<number> {
  const kept = new Map<string, { total: Promise<number>; until: number }>();
  return async (query) => {
    const known = kept.get(query);
    if (known && now() < known.until) return known.total;
    const begin = now();
    const entry = { total: count(query), until: Infinity };
    kept.delete(query);
    kept.set(query, entry);
    try {
      const total = await entry.total;
      const tookMs = now() - begin;
      entry.until = tookMs < QUICK_MS ? 0 : now() + KEPT_TIMES * tookMs;
      return total;
    } catch (error) {
      entry.until = 0;
      throw error;
    } finally {
      for (const [oldest] of kept) {
        if (kept.size <= KEPT_COUNTS) break;
        kept.delete(oldest);
      }
    }
  };
}
