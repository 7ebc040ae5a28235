import { isLastTime, type LastTime, lastTimes } from '../../../api/last-times.ts';
import type { RunSearchBody, StatsSpan } from '../../../api/queries/run-search.ts';
import { formatUtc } from '../../../ui/format.ts';

/** When the listed runs were created: lately, or between two times. */
export type TimeWindow =
  { readonly since: LastTime } | { readonly from: string; readonly to: string };

/** As long as runs are kept by default. */
const whole: StatsSpan = { lastMs: lastTimes['7d'].ms };

/** Reads the window from the URL: `since=24h`, or `from` and `to`. */
export function windowFrom(query: URLSearchParams): TimeWindow | undefined {
  const since = query.get('since');
  if (since !== null && isLastTime(since)) return { since };
  const [from, to] = [timeOf(query.get('from')), timeOf(query.get('to'))];
  return from === undefined || to === undefined || from >= to ? undefined : { from, to };
}

function timeOf(text: string | null): string | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** What the chart shows: the window, or as much as is kept. */
export function statsSpan(window: TimeWindow | undefined): StatsSpan {
  if (window === undefined) return whole;
  return 'since' in window ? { lastMs: lastTimes[window.since].ms } : window;
}

/** The window's bounds for a search. */
export function searchBounds(
  window: TimeWindow | undefined,
): Pick<RunSearchBody, 'lastMs' | 'created_after' | 'created_before'> {
  if (window === undefined) return {};
  if ('since' in window) return { lastMs: lastTimes[window.since].ms };
  return { created_after: window.from, created_before: window.to };
}

/** `Last 24 hours`, or `11-26 08:00 – 11-26 12:00 UTC`. */
export function windowLabel(window: TimeWindow): string {
  if ('since' in window) return lastTimes[window.since].label;
  return `${minuteOf(window.from)} – ${minuteOf(window.to)} UTC`;
}

/** 11-26 08:00 */
export function minuteOf(time: string): string {
  return formatUtc(time).slice(5, 16);
}
