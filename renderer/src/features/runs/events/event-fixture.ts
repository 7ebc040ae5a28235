import type { RunStreamEvent } from '../../../api/run-stream.ts';

/** An event as the stream delivers it, for tests: with defaults for absent members. */
export function eventOf({
  payload,
  ...event
}: Partial<RunStreamEvent> & { payload?: unknown }): RunStreamEvent {
  const data = event.data ?? JSON.stringify(payload ?? {});
  const time = (payload as { ts?: string } | undefined)?.ts;
  return {
    seq: 0,
    id: 1,
    type: 'values',
    ns: '',
    data,
    isDropped: false,
    size: data.length,
    receivedAt: 0,
    at: time === undefined ? undefined : Date.parse(time),
    ...event,
  };
}
