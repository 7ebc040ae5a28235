import type { InvocationEnd } from '../guest/port.ts';
import type { NewRun } from '../model/run/run.ts';
import type { SpanOptions, TraceSpan, Tracing } from '../observability/tracing.ts';
import type { CheckpointPort } from '../model/checkpoint/checkpoint-port.ts';
import type { Attempt } from './ports.ts';

/** The trace of one attempt: the nodes, model calls and tool calls of its guest. */
export interface RunTrace {
  /** False: its chunks are not needed. */
  readonly isRecorded: boolean;
  /** Takes what the guest reports of its nodes and calls: the JSON of a chunk of the mode `trace`. */
  chunk(data: string): void;
  /** The same checkpoints; the guest's saves belong to the attempt's span, whatever calls them. */
  checkpoints(port: CheckpointPort): CheckpointPort;
  end(end: InvocationEnd): void;
}

/** Begins the trace of an attempt, which is the current span of `act`. */
export async function traceAttempt<T>(
  tracing: Tracing,
  attempt: Attempt,
  run: NewRun | undefined,
  act: (trace: RunTrace) => Promise<T>,
): Promise<T> {
  const { threadId, runUuid, agentId } = attempt;
  const ids = { thread_id: threadId, run_id: runUuid, agent_id: agentId };
  const span = tracing.start('run agent', {
    kind: 'consumer',
    parent: run?.traceparent,
    // A run that was created without tracing starts its own trace.
    isEntry: true,
    attributes: { ...ids, attempt: attempt.attempt },
  });
  try {
    return await span.run(() => act(createRunTrace(tracing, span, ids)));
  } finally {
    span.end();
  }
}

function createRunTrace(
  tracing: Tracing,
  attempt: TraceSpan,
  ids: Record<string, string>,
): RunTrace {
  const agent = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': ids['agent_id'] };
  const guest = tracing.start('invoke agent', { kind: 'client', attributes: { ...ids, ...agent } });
  const open = new Map<string, TraceSpan>();

  function begin({ id, parent_id: parentId, ts, ...event }: TraceEvent): void {
    const parent = open.get(parentId ?? '') ?? guest;
    const { name, ...options } = spanOf(event);
    const attributes = { ...ids, ...options.attributes };
    const span = parent.run(() => tracing.start(name, { ...options, attributes, ...at(ts) }));
    open.set(id, span);
  }

  function end({ id, error, usage, ts }: TraceEvent): void {
    const span = open.get(id);
    open.delete(id);
    if (!span) return;
    const { input_tokens: input, output_tokens: output } = usage ?? {};
    span.set({ 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output });
    // Only the class of an error: its text may quote the agent's data.
    if (error) span.fail(error.type ?? 'Error');
    span.end(at(ts).startedAt);
  }

  return {
    isRecorded: guest.isRecorded,
    chunk(data) {
      const event = parsed(data);
      if (event?.event === 'start') begin(event);
      else if (event?.event === 'end') end(event);
    },
    checkpoints: (port) => ({
      applyBatch: (...batch) => attempt.run(() => port.applyBatch(...batch)),
      offload: (...write) => port.offload(...write),
      read: (...selection) => port.read(...selection),
    }),
    end(end) {
      for (const span of open.values()) span.end();
      for (const span of [attempt, guest]) {
        span.set({ outcome: end.kind });
        const code = failureOf(end);
        if (code !== undefined) span.fail(code);
      }
      guest.end();
    },
  };
}

/** A trace chunk of a guest: `guest.proto`, Chunk. */
interface TraceEvent {
  event: 'start' | 'token' | 'end';
  kind: 'node' | 'model' | 'tool';
  id: string;
  parent_id?: string | null;
  name?: string;
  model?: string | null;
  ts?: string;
  usage?: { input_tokens?: number; output_tokens?: number } | null;
  error?: { type?: string } | null;
}

/** What is no JSON is ignored: guests are not trusted. */
function parsed(data: string): TraceEvent | undefined {
  try {
    return JSON.parse(data) as TraceEvent; // the guest's own event
  } catch {
    return undefined;
  }
}

/** Model and tool calls are named as OpenTelemetry's conventions for generative AI say. */
function spanOf({
  kind,
  name = '',
  model,
}: Pick<TraceEvent, 'kind' | 'name' | 'model'>): SpanOptions & { name: string } {
  if (kind === 'model') {
    const attributes = {
      'gen_ai.operation.name': 'chat',
      ...(typeof model === 'string' && { 'gen_ai.request.model': model }),
    };
    return { name: `chat ${model ?? name}`, kind: 'client', attributes };
  }
  if (kind === 'tool') {
    const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name };
    return { name: `execute_tool ${name}`, attributes };
  }
  return { name: `node ${name}`, attributes: { 'langgraph.node': name } };
}

function at(ts: string | undefined): { startedAt?: number } {
  const time = ts === undefined ? Number.NaN : Date.parse(ts);
  return Number.isNaN(time) ? {} : { startedAt: time };
}

function failureOf(end: InvocationEnd): string | undefined {
  if (end.kind === 'error') return end.error.code;
  return end.kind === 'crash' || end.kind === 'infra' ? end.kind : undefined;
}
