const timed: ReadonlySet<string> = new Set(['tasks', 'calls', 'lifecycle']);
/** Larger ones are not parsed for a time alone; the service bounds these payloads well below it. */
const maxParsed = 512 * 1024;

/** When an event happened, if its payload has the time. */
export function timeInPayload(type: string, data: string): number | undefined {
  if (!timed.has(type) || data.length > maxParsed) return undefined;
  try {
    const payload: unknown = JSON.parse(data);
    if (typeof payload !== 'object' || payload === null || !('ts' in payload)) return undefined;
    const at = typeof payload.ts === 'string' ? Date.parse(payload.ts) : Number.NaN;
    return Number.isNaN(at) ? undefined : at;
  } catch {
    return undefined;
  }
}
