import { expect, it } from 'vitest';
import type { AgentId, RunUuid, ThreadId } from '../model/ids.ts';
import { toJsonText } from '../model/json.ts';
import type { NewRun, StreamMode } from '../model/run/run.ts';
import type { SpanAttributes, TraceSpan, Tracing } from '../observability/tracing.ts';
import type { Attempt } from './ports.ts';
import { traceAttempt } from './run-trace.ts';

/** Notes what is started, reported and ended, in this order. */
function notingTracing(): { tracing: Tracing; notes: unknown[] } {
  const notes: unknown[] = [];
  const start = (name: string): TraceSpan => ({
    traceparent: 'known',
    isRecorded: true,
    set: ({ outcome }: SpanAttributes) => void notes.push([name, outcome]),
    fail: (code) => void notes.push([name, 'fail', code]),
    run: (act) => act(),
    end: () => void notes.push([name, 'end']),
  });
  return { tracing: { start, close: () => Promise.resolve() }, notes };
}

const attempt = {
  threadId: 't' as ThreadId,
  runUuid: 'r' as RunUuid,
  agentId: 'a' as AgentId,
  attempt: 1,
} as Attempt; // what the trace reads

function newRun(streamModes: StreamMode[]): NewRun {
  return { streamModes } as NewRun; // what the trace reads
}

const task = (event: object) => ({ mode: 'tasks', ns: '', data: toJsonText(event) });

it('ends what is open when the guest is gone, and reports only the class of an error', async () => {
  const { tracing, notes } = notingTracing();
  await traceAttempt(tracing, attempt, newRun([]), async (trace) => {
    trace.chunk(task({ event: 'start', id: '1', name: 'ask' }));
    trace.chunk(task({ event: 'start', id: '2', name: 'wait' }));
    trace.chunk(task({ event: 'end', id: '1', name: 'ask', error: 'ValueError: secret' }));
    trace.end({ kind: 'crash', message: 'The guest is gone.' });
  });
  expect(notes).toEqual([
    ['node ask', 'fail', 'ValueError'],
    ['node ask', 'end'],
    ['node wait', 'end'],
    ['run agent', 'crash'],
    ['run agent', 'fail', 'crash'],
    ['invoke agent', 'crash'],
    ['invoke agent', 'fail', 'crash'],
    ['invoke agent', 'end'],
    ['run agent', 'end'],
  ]);
});

it('passes on the tasks that were asked for, and asks for them itself otherwise', async () => {
  const { tracing } = notingTracing();
  const streamed = (modes: StreamMode[]) =>
    traceAttempt(tracing, attempt, newRun(modes), async (trace) => [
      trace.modes,
      trace.chunk(task({ event: 'start', id: '1', name: 'ask' })),
      trace.chunk({ mode: 'values', ns: '', data: toJsonText({}) }),
    ]);
  expect(await streamed(['values', 'lifecycle'])).toEqual([['values', 'tasks'], false, true]);
  expect(await streamed(['tasks'])).toEqual([['tasks'], true, true]);
});
