import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { toBytes } from '../../model/frame.ts';
import type { ThreadLimits } from '../../model/limits/limits.ts';
import type { NewRun } from '../../model/run/run.ts';
import { traced, type Tracing } from '../../observability/tracing.ts';
import type { Disk } from '../disk/disk-port.ts';

/** The metrics of the engine's port. */
export interface EngineMetrics {
  sizeLimitRejections: { inc(labels: { limit: string; operation: string }): void };
  runsStarted: { inc(labels: { agent: string }): void };
}

export interface EngineWritesPorts {
  disk: Pick<Disk, 'admit'>;
  limits: Pick<ThreadLimits, 'threadMetadata' | 'runMetadata'>;
  metrics: EngineMetrics;
  tracing: Tracing;
}

/**
 * The rules of all writes to the engine: while the disk is full they are refused before they reach it, metadata stays
 * within its limits (docs/limits.md), and refusals for size are counted.
 */
export class EngineWrites {
  readonly #ports: EngineWritesPorts;

  constructor(ports: EngineWritesPorts) {
    this.#ports = ports;
  }

  /** Does the work of an operation, whose name is a label of metrics. `storage_full`. */
  async perform<T>(operation: string, work: () => Promise<T>): Promise<T> {
    return await this.#counted(operation, () => this.#ports.disk.admit(operation, work));
  }

  /** A write with the metadata of a thread. `payload_too_large`. */
  async withThreadMetadata<T>(
    operation: 'create_thread' | 'patch_thread',
    metadata: Record<string, unknown>,
    work: () => Promise<T>,
  ): Promise<T> {
    const { disk, limits } = this.#ports;
    return await this.#counted(operation, async () => {
      requireFit('thread_metadata', metadata, limits.threadMetadata);
      return await disk.admit(operation, work);
    });
  }

  /**
   * Creates a run, traced: its request carries the trace context, so that its attempts are part of the trace. The
   * thread never reads the request, so no workflow code depends on it. `payload_too_large`.
   */
  async createRun<T extends { runUuid: string }>(
    threadId: string,
    run: NewRun,
    create: (run: NewRun) => Promise<T>,
  ): Promise<T> {
    const { disk, limits, metrics, tracing } = this.#ports;
    const { runUuid, agentId } = run;
    const attributes = { thread_id: threadId, run_id: runUuid, agent_id: agentId };
    const about = { kind: 'producer', attributes } as const;
    return await traced(tracing, 'create run', about, async ({ traceparent }) => {
      const created = await this.#counted('create_run', async () => {
        requireFit('run_metadata', run.metadata, limits.runMetadata);
        const known = traceparent === undefined ? run : { ...run, traceparent };
        return await disk.admit('create_run', () => create(known));
      });
      // With a repeated key the response is an earlier run, which was counted then.
      if (created.runUuid === runUuid) metrics.runsStarted.inc({ agent: agentId });
      return created;
    });
  }

  async #counted<T>(operation: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const limit = isServiceError(error) ? limitOf(error) : undefined;
      if (typeof limit === 'string') {
        this.#ports.metrics.sizeLimitRejections.inc({ limit, operation });
      }
      throw error;
    }
  }
}

/** The thread itself refuses merged metadata that is too large, and reports only the code. */
function limitOf({ code, details }: ServiceError): unknown {
  return details['limit_name'] ?? (code === 'payload_too_large' ? 'thread_metadata' : undefined);
}

function requireFit(
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
