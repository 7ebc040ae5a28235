import type { ReactNode } from 'react';
import type { RunEventLog, RunStreamEvent } from '../../../api/run-stream.ts';
import { formatDuration, formatNumber } from '../../../ui/format.ts';
import { parseEvent } from './event-reading.ts';
import { isRecord, numberOf, textOf } from '../../../api/json-record.ts';
import { ValueView } from '../value-view.tsx';
import { Fact, Facts } from '../../../ui/facts.tsx';

interface CallViewProps {
  readonly log: RunEventLog;
  readonly event: RunStreamEvent;
  readonly payload: Record<string, unknown>;
}

/** How many rows are searched for the start or the end of a call. */
const maxDistance = 5_000;

/** A model or tool call: its input, its output, its duration and its tokens. */
export function CallView({ log, event, payload }: CallViewProps): ReactNode {
  const isDelta = payload['event'] === 'delta';
  const start = payload['event'] === 'start' ? payload : otherEvent(log, event, payload, 'start');
  const end = payload['event'] === 'end' ? payload : otherEvent(log, event, payload, 'end');
  const isTool = payload['kind'] === 'tool';
  const latency = end === undefined ? undefined : numberOf(end, 'latency_ms');
  const usage = isRecord(end?.['usage']) ? end['usage'] : undefined;
  const error = end === undefined ? undefined : textOf(end, 'error');
  const facts: [string, string][] = [
    [isTool ? 'tool' : 'model', textOf(payload, 'model') ?? textOf(payload, 'name') ?? ''],
    ['node', textOf(payload, 'node') ?? ''],
    ['latency', latency === undefined ? 'still waiting' : formatDuration(latency)],
    ...Object.entries(usage ?? {}).flatMap(([name, value]): [string, string][] =>
      typeof value === 'number' ? [[name.replaceAll('_', ' '), formatNumber(value)]] : [],
    ),
  ];
  return (
    <div className="call stack">
      <Facts isLine>
        {facts.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </Facts>
      {error !== undefined && <p className="is-error">{error}</p>}
      <CallPart title={isTool ? 'Arguments' : 'Prompt'} value={start?.['input']} />
      {isDelta && <CallPart title="Part of the result" value={payload['delta']} />}
      {end !== undefined && error === undefined && (
        <CallPart title={isTool ? 'Result' : 'Response'} value={end['output']} />
      )}
      {isRecord(start?.['params']) && <CallPart title="Parameters" value={start['params']} />}
    </div>
  );
}

function CallPart({ title, value }: { title: string; value: unknown }): ReactNode {
  if (value === undefined || value === null) return undefined;
  return (
    <section>
      <h4>{title}</h4>
      <ValueView label={title} value={value} maxHeight={320} />
    </section>
  );
}

/** The start of a call, before this event of it, or its end, after this event. */
function otherEvent(
  log: RunEventLog,
  event: RunStreamEvent,
  payload: Record<string, unknown>,
  wanted: 'start' | 'end',
): Record<string, unknown> | undefined {
  const id = textOf(payload, 'id');
  const step = wanted === 'end' ? 1 : -1;
  const last = event.seq + step * maxDistance;
  for (let seq = event.seq + step; seq !== last; seq += step) {
    const row = log.get(seq);
    if (row === undefined) return undefined;
    if (row.type !== 'calls' || id === undefined || !row.data.includes(id)) continue;
    const found = parseEvent(row);
    if (isRecord(found) && found['id'] === id && found['event'] === wanted) return found;
  }
  return undefined;
}
