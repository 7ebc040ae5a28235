const UNIT_MS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const DURATION = /^\+?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/u;
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gu;
const LONGEST_TEXT = 100;

/** Milliseconds of a duration as Go's `time.ParseDuration` reads it (`1h30m`, `1.5s`), but not below zero; undefined when it is none. */
export function parseGoDuration(text: string): number | undefined {
  if (text.length > LONGEST_TEXT || !DURATION.test(text)) return undefined;
  let total = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(PART)) {
    total += Number(amount) * (UNIT_MS[unit] ?? 0);
  }
  return total;
}
