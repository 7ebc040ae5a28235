import { errorTable } from '../../errors/codes.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { packFrame, toBytes } from '../../model/frame.ts';
import type { ThreadId } from '../../model/ids.ts';
import { deriveLimits, type ThreadLimits } from '../../model/limits/limits.ts';
import type { Payload } from '../../model/checkpoint/payload.ts';
import { configurableOf, type NewRun, runFacts } from '../../model/run/run.ts';
import type { RestartPolicy } from '../../model/run/restarts.ts';
import type { RunTicket } from '../../model/run/run-record.ts';
import type { ThreadSettings } from '../../model/thread/thread-record.ts';
import { CALL_PATIENCE_MS } from './calls.ts';
import type { OffloadedPayload, PayloadPort } from '../../model/checkpoint/payload-port.ts';

/** The dependencies and settings of a ticket. */
export interface TicketParts {
  payloads: Pick<PayloadPort, 'offload'>;
  restart: RestartPolicy;
  settings: ThreadSettings;
}

/**
 * Makes the ticket of a run and sends it. A large input is in the storage before the thread receives the ticket
 * (`storage_unavailable`), and protected from the collector until the thread has responded.
 */
export async function withTicket<T>(
  { payloads, restart, settings }: TicketParts,
  threadId: ThreadId,
  run: NewRun,
  send: (ticket: RunTicket) => Promise<T>,
): Promise<T> {
  const { context: contextJson, afterMs, kwargs, ...requested } = run;
  const request = packFrame(requested);
  const context = contextJson === undefined ? undefined : toBytes(contextJson);
  const continues = context === undefined && isContinuation(run);
  const parts = { request, ...(context && { context }) };
  requireRoom(deriveLimits(settings), { ...parts, continues });
  const createdAt = Date.now();
  const offloaded = await offloadAll(parts, (bytes) =>
    payloads.offload(threadId, bytes, { patienceMs: CALL_PATIENCE_MS }),
  );
  let isCertain = true;
  try {
    return await send({
      ...runFacts({ ...run, createdAt }),
      restart,
      ...offloaded.kept,
      isResume: isResume(run),
      ...(run.checkpoint && { checkpoint: run.checkpoint }),
      ...(run.multitaskStrategy && { multitask: run.multitaskStrategy }),
      ...(continues && { continues }),
      ...(kwargs && { kwargs }),
      ...(afterMs !== undefined && { notBefore: createdAt + afterMs }),
    });
  } catch (error) {
    isCertain = isServiceError(error) && !errorTable[error.code].retry && error.code !== 'internal';
    throw error;
  } finally {
    offloaded.release({ isCertain });
  }
}

/** The parts of a run's request that a thread keeps. */
type Parts<P> = { request: P; context?: P };

/**
 * Throws `payload_too_large` when a run's context, or its request with it, is above the limits of this service: the
 * attempts of a run get both in one payload of the engine when they are stored within the thread.
 */
export function requireRoom(
  limits: Pick<ThreadLimits, 'runContext' | 'runInput'>,
  { request, context, continues = false }: Partial<Parts<Uint8Array>> & { continues?: boolean },
): void {
  const own = context?.byteLength ?? 0;
  if (own > limits.runContext) {
    throw tooLarge("The run's context", own, limits.runContext, 'run_context');
  }
  const size = (request?.byteLength ?? 0) + own;
  const limit = limits.runInput - (continues ? limits.runContext : 0);
  if (size > limit) throw tooLarge("The run's input", size, limit, 'run_input');
}

function tooLarge(what: string, size: number, limit: number, name: string): ServiceError {
  const message = `${what} is ${size} bytes; the limit is ${limit} bytes.`;
  return new ServiceError('payload_too_large', message, {
    details: { size, limit, limit_name: name },
  });
}

/** Large parts are in the storage when this resolves; when one part fails, the other is released. */
async function offloadAll(
  { request, context }: Parts<Uint8Array>,
  offload: (bytes: Uint8Array) => Promise<OffloadedPayload<Payload>> | undefined,
): Promise<OffloadedPayload<Parts<Payload>>> {
  const first = await offload(request);
  try {
    const second = context && (await offload(context));
    return {
      kept: {
        request: first?.kept ?? request,
        ...(context && { context: second?.kept ?? context }),
      },
      release(outcome) {
        first?.release(outcome);
        second?.release(outcome);
      },
    };
  } catch (error) {
    first?.release({ isCertain: true });
    throw error;
  }
}

/**
 * A run without its own context that continues an earlier run uses that run's context. Values under `configurable`
 * count as its own (activities/run-config.ts), and new input at the head starts a new context.
 */
function isContinuation({ start, checkpoint, config }: NewRun): boolean {
  if (Object.keys(configurableOf(config)).length > 0) return false;
  return checkpoint !== undefined || start.kind !== 'input';
}

/** Only a response to an interrupt needs an open one; `update` and `goto` do not. */
function isResume({ start }: NewRun): boolean {
  if (start.kind !== 'command') return false;
  const command: unknown = JSON.parse(start.json);
  return typeof command === 'object' && command !== null && 'resume' in command;
}
