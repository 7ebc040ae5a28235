const unitMs: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const wholeDuration = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/;
const onePart = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g;

/** Reads a duration as Go writes it (`500ms`, `1h30m`) or as seconds; undefined when it is neither. */
export function parseDurationMs(text: string | number): number | undefined {
  if (typeof text === 'number') return text >= 0 ? text * 1000 : undefined;
  const trimmed = text.trim();
  if (/^\d+(?:\.\d+)?$/.test(trimmed)) return Number(trimmed) * 1000;
  if (!wholeDuration.test(trimmed)) return undefined;
  let total = 0;
  for (const [, amount, unit] of trimmed.matchAll(onePart)) {
    total += Number(amount) * (unitMs[unit ?? ''] ?? Number.NaN);
  }
  return total;
}
