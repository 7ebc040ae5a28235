import { visibleInterrupt } from './checkpoint-codec.ts';
import { bounded } from './event-value.ts';

/** LangGraph's own event of a task with the time, and with what may be long cut. `errors`: what tasks threw, by id. */
export function taskEvent(
  payload: Record<string, unknown>,
  errors: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const ts = new Date().toISOString();
  const { interrupts, ...event } = payload;
  if ('input' in event) return { event: 'start', ...event, input: bounded(event['input']), ts };
  // LangGraph.js nests them once more.
  const asked = (Array.isArray(interrupts) ? interrupts.flat() : []).map(visibleInterrupt);
  return {
    event: 'end',
    ...event,
    result: bounded(resultOf(event['result'])),
    error: errors.get(String(event['id'])) ?? null,
    interrupts: asked.map(({ id, value }) => ({ id, value: bounded(value) })),
    ts,
  };
}

/** By channel; LangGraph.js before 1.0 reports it as pairs. */
function resultOf(result: unknown): unknown {
  const isPairs =
    Array.isArray(result) && result.every((item) => Array.isArray(item) && item.length === 2);
  return isPairs ? Object.fromEntries(result as [string, unknown][]) : (result ?? {});
}
