import type { RunStreamEvent } from '../../api/run-stream.ts';

/** An event as the stream gives it, for tests: what is not told is what matters least. */
export function eventOf({
  payload,
  ...event
}: Partial<RunStreamEvent> & { payload?: unknown }): RunStreamEvent {
  const data = event.data ?? JSON.stringify(payload ?? {});
  const told = (payload as { ts?: string } | undefined)?.ts;
  return {
    seq: 0,
    id: 1,
    type: 'values',
    ns: '',
    data,
    isDropped: false,
    size: data.length,
    receivedAt: 0,
    at: told === undefined ? undefined : Date.parse(told),
    ...event,
  };
}
