const hour = 60 * 60 * 1_000;

/** Times that end now, by their names in the URL. */
export const lastTimes = {
  '1h': { label: 'Last hour', ms: hour },
  '6h': { label: 'Last 6 hours', ms: 6 * hour },
  '24h': { label: 'Last 24 hours', ms: 24 * hour },
  '7d': { label: 'Last 7 days', ms: 7 * 24 * hour },
} as const;

/** The name of one. */
export type LastTime = keyof typeof lastTimes;

/** True for the name of one. */
export function isLastTime(name: string): name is LastTime {
  return name in lastTimes;
}
