import { traced, type Tracing } from '../../observability/tracing.ts';
import type { NewRun } from '../../model/run/run.ts';
import type { EnginePort } from '../port.ts';

/**
 * The same engine: a run says in its request what it belongs to, so that its attempts are part of the trace. The thread
 * never looks into a request, so nothing of this is in workflow code.
 */
export function tracedEngine(port: EnginePort, tracing: Tracing): EnginePort {
  function create<T>(threadId: string, run: NewRun, act: (run: NewRun) => Promise<T>): Promise<T> {
    const { runUuid, agentId } = run;
    const attributes = { thread_id: threadId, run_id: runUuid, agent_id: agentId };
    return traced(tracing, 'create run', { kind: 'producer', attributes }, (span) =>
      act(span.traceparent === undefined ? run : { ...run, traceparent: span.traceparent }),
    );
  }
  return {
    ...port,
    createRun: (threadId, run, ...more) =>
      create(threadId, run, (known) => port.createRun(threadId, known, ...more)),
    startStateless: (threadId, run, ...more) =>
      create(threadId, run, (known) => port.startStateless(threadId, known, ...more)),
  };
}
