import type { GuestChunk, InvocationEnd } from '../guest/port.ts';
import type { NewRun } from '../model/run/run.ts';
import type { TraceSpan, Tracing } from '../observability/tracing.ts';
import type { CheckpointPort } from '../model/checkpoint/checkpoint-port.ts';
import type { Attempt } from './ports.ts';
import { guestModes } from './run-events.ts';

/** The trace of one attempt: the nodes that its guest runs. */
export interface RunTrace {
  /** What the guest is to stream: what the run asks for (`guestModes`), and what the trace needs besides. */
  modes: string[];
  /** Records a chunk; false: it is for the trace only. */
  chunk(chunk: GuestChunk): boolean;
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
    return await span.run(() => act(createRunTrace(tracing, span, ids, run)));
  } finally {
    span.end();
  }
}

function createRunTrace(
  tracing: Tracing,
  attempt: TraceSpan,
  ids: Record<string, string>,
  run: NewRun | undefined,
): RunTrace {
  const asked = guestModes(run?.streamModes ?? []);
  const isAsked = asked.includes('tasks');
  const guest = tracing.start('invoke agent', { kind: 'client', attributes: ids });
  const nodes = new Map<string, TraceSpan>();

  function task(data: string): void {
    const { event, id, name, error } = JSON.parse(data) as TaskEvent; // the guest's own event
    if (event === 'start') {
      const attributes = { ...ids, 'langgraph.node': name };
      const node = guest.run(() => tracing.start(`node ${name}`, { attributes }));
      nodes.set(id, node);
      return;
    }
    const node = nodes.get(id);
    nodes.delete(id);
    // Only the class of an error: its text may quote the agent's data.
    if (typeof error === 'string') node?.fail(error.split(':', 1)[0] ?? 'Error');
    node?.end();
  }

  return {
    modes: guest.isRecorded && !isAsked ? [...asked, 'tasks'] : asked,
    chunk({ mode, data }) {
      if (mode !== 'tasks' || !guest.isRecorded) return true;
      task(data);
      return isAsked;
    },
    checkpoints: (port) => ({
      applyBatch: (...batch) => attempt.run(() => port.applyBatch(...batch)),
      offload: (...write) => port.offload(...write),
      read: (...selection) => port.read(...selection),
    }),
    end(end) {
      for (const node of nodes.values()) node.end();
      for (const span of [attempt, guest]) {
        span.set({ outcome: end.kind });
        const code = failureOf(end);
        if (code !== undefined) span.fail(code);
      }
      guest.end();
    },
  };
}

interface TaskEvent {
  event: 'start' | 'end';
  id: string;
  name: string;
  error?: string | null;
}

function failureOf(end: InvocationEnd): string | undefined {
  if (end.kind === 'error') return end.error.code;
  return end.kind === 'crash' || end.kind === 'infra' ? end.kind : undefined;
}
