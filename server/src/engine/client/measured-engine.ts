import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { toBytes } from '../../model/frame.ts';
import type { ThreadLimits } from '../../model/limits/limits.ts';
import type { EnginePort } from '../port.ts';
import { traced, type Tracing } from '../../observability/tracing.ts';
import type { NewRun } from '../../model/run/run.ts';

/** The metrics of the engine's port. */
export interface EngineMetrics {
  sizeLimitRejections: { inc(labels: { limit: string; operation: string }): void };
  runsStarted: { inc(labels: { agent: string }): void };
}

/** The same engine with the ceilings of metadata enforced (docs/limits.md) and refusals for size counted. */
export function measuredEngine(
  port: EnginePort,
  limits: Pick<ThreadLimits, 'threadMetadata' | 'runMetadata'>,
  metrics: EngineMetrics,
): EnginePort {
  async function measured<T>(operation: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      const limit = isServiceError(error) ? limitOf(error) : undefined;
      if (typeof limit === 'string') metrics.sizeLimitRejections.inc({ limit, operation });
      throw error;
    }
  }

  return {
    ...port,
    createThread: (threadId, metadata, made) =>
      measured('create_thread', async () => {
        checkMetadata('thread_metadata', metadata, limits.threadMetadata);
        return port.createThread(threadId, metadata, made);
      }),
    patchMetadata: (threadId, metadata) =>
      measured('patch_thread', async () => {
        checkMetadata('thread_metadata', metadata, limits.threadMetadata);
        return port.patchMetadata(threadId, metadata);
      }),
    createRun: (threadId, run, idempotency) =>
      measured('create_run', async () => {
        checkMetadata('run_metadata', run.metadata, limits.runMetadata);
        const view = await port.createRun(threadId, run, idempotency);
        // With a repeated key the response is an earlier run, which was counted then.
        if (view.runUuid === run.runUuid) metrics.runsStarted.inc({ agent: run.agentId });
        return view;
      }),
    startStateless: (threadId, run, ...more) =>
      measured('create_run', async () => {
        checkMetadata('run_metadata', run.metadata, limits.runMetadata);
        const view = await port.startStateless(threadId, run, ...more);
        metrics.runsStarted.inc({ agent: run.agentId });
        return view;
      }),
  };
}

/** The thread itself refuses merged metadata that is too large, and reports only the code. */
function limitOf({ code, details }: ServiceError): unknown {
  return details['limit_name'] ?? (code === 'payload_too_large' ? 'thread_metadata' : undefined);
}

function checkMetadata(
  limitName: 'thread_metadata' | 'run_metadata',
  metadata: Record<string, unknown>,
  limit: number,
): void {
  const size = toBytes(JSON.stringify(metadata)).byteLength;
  if (size <= limit) return;
  const what = limitName === 'thread_metadata' ? 'thread' : 'run';
  const message = `The metadata of the ${what} is ${size} bytes as JSON; the limit is ${limit} bytes.`;
  throw new ServiceError('payload_too_large', message, {
    details: { size, limit, limit_name: limitName },
  });
}

/**
 * The same engine, traced: a run's request carries its trace context, so that its attempts are part of the trace. The
 * thread never reads the request, so no workflow code depends on it.
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
