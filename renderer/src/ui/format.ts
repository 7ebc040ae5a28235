const number = new Intl.NumberFormat('en-US');

/** 1,204 */
export function formatNumber(value: number): string {
  return number.format(value);
}

/** 812 ms, 4.2 s, 3 m 10 s, 2 h 5 m, 3 d 4 h */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return '';
  if (ms < 0) return '0 ms';
  if (ms < 1) return ms === 0 ? '0 ms' : '<1 ms';
  if (Math.round(ms) < 1_000) return `${Math.round(ms)} ms`;
  const tenths = Math.round(ms / 100);
  if (tenths < 600)
    return tenths < 100 ? `${(tenths / 10).toFixed(1)} s` : `${Math.round(tenths / 10)} s`;
  return formatLong(Math.round(ms / 1_000));
}

function formatLong(seconds: number): string {
  if (seconds < 3_600) return pair(Math.floor(seconds / 60), 'm', seconds % 60, 's');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1_440) return pair(Math.floor(minutes / 60), 'h', minutes % 60, 'm');
  const hours = Math.floor(minutes / 60);
  return pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** Elapsed time, without digits that flicker: 4 s, 3 m 10 s. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  return seconds < 60 ? `${seconds} s` : formatLong(seconds);
}

const sizeUnits = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** 80 B, 1.2 kB, 5.3 MB */
export function formatSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (unit < sizeUnits.length - 1 && rounded(value) >= 1_000) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 ? value : rounded(value)} ${sizeUnits[unit]}`;
}

function rounded(value: number): number {
  return value < 100 ? Math.round(value * 10) / 10 : Math.round(value);
}

/** 2026-11-21 12:00:00.000 UTC */
export function formatUtc(time: string | number | Date): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return String(time);
  return `${date.toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}

/** just now, 12 s ago, 5 m ago, 3 h ago, 2 d ago; dates when it is longer than a month. */
export function formatAgo(time: string | number | Date, now: number = Date.now()): string {
  const date = new Date(time);
  const seconds = Math.floor((now - date.getTime()) / 1_000);
  if (Number.isNaN(seconds)) return String(time);
  if (seconds < 0) return seconds > -5 ? 'just now' : `in ${formatElapsed(-seconds * 1_000)}`;
  if (seconds < 2) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  if (seconds < 30 * 86_400) return `${Math.floor(seconds / 86_400)} d ago`;
  return date.toISOString().slice(0, 10);
}

/** The same without words, for columns of ages: now, 12 s, 5 m, 3 h, 2 d. */
export function formatAge(time: string | number | Date, now: number = Date.now()): string {
  return formatAgo(time, now).replace(/ ago$/, '').replace('just now', 'now');
}

/** 1,204.00, 0.12, 0.0019, <0.0001: in the currency of the prices, which has no name there. */
export function formatCost(cost: number): string {
  if (cost > 0 && cost < 0.000_1) return '<0.0001';
  const isSmall = cost > 0 && cost < 0.1;
  return cost.toLocaleString(
    'en-US',
    isSmall
      ? { maximumSignificantDigits: 2 }
      : { minimumFractionDigits: 2, maximumFractionDigits: 2 },
  );
}

/** Shortens the middle: the ends of an id are what people tell apart. */
export function shortenMiddle(text: string, length = 13): string {
  if (text.length <= length) return text;
  const tail = Math.floor((length - 1) / 2);
  return `${text.slice(0, length - 1 - tail)}…${text.slice(-tail)}`;
}
