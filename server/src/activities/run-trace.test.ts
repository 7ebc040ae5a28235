import { expect, it } from 'vitest';
import type { AgentId, RunUuid, ThreadId } from '../model/ids.ts';
import { toJsonText } from '../model/json.ts';
import type { SpanAttributes, SpanOptions, TraceSpan, Tracing } from '../observability/tracing.ts';
import type { Attempt } from './ports.ts';
import { traceAttempt } from './run-trace.ts';

/** Notes what is started, and what is reported and ended, each in its order. */
function notingTracing(): { tracing: Tracing; notes: unknown[]; started: unknown[] } {
  const notes: unknown[] = [];
  const started: unknown[] = [];
  const span = (name: string): TraceSpan => ({
    traceparent: 'known',
    isRecorded: true,
    set: (attributes: SpanAttributes) => void notes.push([name, known(attributes)]),
    fail: (code) => void notes.push([name, 'fail', code]),
    run: (act) => act(),
    end: () => void notes.push([name, 'end']),
  });
  const start = (name: string, { attributes = {} }: SpanOptions = {}): TraceSpan => {
    started.push([name, attributes]);
    return span(name);
  };
  return { tracing: { start, close: () => Promise.resolve() }, notes, started };
}

function known(attributes: SpanAttributes): SpanAttributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

const attempt = {
  threadId: 't' as ThreadId,
  runUuid: 'r' as RunUuid,
  agentId: 'a' as AgentId,
  attempt: 1,
} as Attempt; // what the trace reads

const reported = (event: object) => toJsonText(event);

it('ends what is open when the guest is gone, and reports only the class of an error', async () => {
  const { tracing, notes } = notingTracing();
  await traceAttempt(tracing, attempt, undefined, async (trace) => {
    trace.chunk(reported({ event: 'start', kind: 'node', id: '1', name: 'ask' }));
    trace.chunk(reported({ event: 'start', kind: 'tool', id: '2', parent_id: '1', name: 'find' }));
    trace.chunk(
      reported({
        event: 'end',
        kind: 'node',
        id: '1',
        error: { type: 'ValueError', message: 's' },
      }),
    );
    trace.end({ kind: 'crash', message: 'The guest is gone.' });
  });
  expect(notes).toEqual([
    ['node ask', {}],
    ['node ask', 'fail', 'ValueError'],
    ['node ask', 'end'],
    ['execute_tool find', 'end'],
    ['run agent', { outcome: 'crash' }],
    ['run agent', 'fail', 'crash'],
    ['invoke agent', { outcome: 'crash' }],
    ['invoke agent', 'fail', 'crash'],
    ['invoke agent', 'end'],
    ['run agent', 'end'],
  ]);
});

it('names model calls as the conventions for generative AI do', async () => {
  const { tracing, notes, started } = notingTracing();
  await traceAttempt(tracing, attempt, undefined, async (trace) => {
    const call = { kind: 'model', id: '1', name: 'ChatOpenAI', model: 'gpt-5' };
    trace.chunk(reported({ event: 'start', ...call, input: ['secret'] }));
    trace.chunk(reported({ event: 'end', ...call, usage: { input_tokens: 3, output_tokens: 4 } }));
  });
  expect(started.at(-1)).toEqual([
    'chat gpt-5',
    {
      ...{ thread_id: 't', run_id: 'r', agent_id: 'a' },
      ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-5' },
    },
  ]);
  expect(notes).toContainEqual([
    'chat gpt-5',
    { 'gen_ai.usage.input_tokens': 3, 'gen_ai.usage.output_tokens': 4 },
  ]);
});
