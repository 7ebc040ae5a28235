import { errorTable } from '../errors/codes.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import { packFrame } from '../model/frame.ts';
import type { ThreadId } from '../model/ids.ts';
import { deriveLimits } from '../model/limits.ts';
import type { NewRun } from '../model/run.ts';
import type { RestartPolicy, RunTicket, ThreadSettings } from '../model/thread-wire.ts';
import { CALL_PATIENCE_MS } from './calls.ts';
import type { PayloadPort } from './payloads.ts';

/** What a ticket is made with. */
export interface TicketParts {
  payloads: Pick<PayloadPort, 'stow'>;
  restart: RestartPolicy;
  settings: ThreadSettings;
}

/**
 * Makes the ticket of a run and passes it on. A large input is in the storage before the thread hears of it
 * (`storage_unavailable`), and kept from the collector until the thread has answered.
 */
export async function withTicket<T>(
  { payloads, restart, settings }: TicketParts,
  threadId: ThreadId,
  run: NewRun,
  send: (ticket: RunTicket) => Promise<T>,
): Promise<T> {
  const request = packFrame(run);
  const limit = deriveLimits(settings).runInput;
  if (request.byteLength > limit) {
    throw new ServiceError(
      'payload_too_large',
      `The run's input is ${request.byteLength} bytes; the limit is ${limit} bytes.`,
      { details: { size: request.byteLength, limit, limit_name: 'run_input' } },
    );
  }
  const createdAt = Date.now();
  const stowed = await payloads.stow(threadId, request, { patienceMs: CALL_PATIENCE_MS });
  let isCertain = true;
  try {
    return await send({
      runUuid: run.runUuid,
      agentId: run.agentId,
      createdAt,
      metadata: run.metadata,
      restart,
      request: stowed?.kept ?? request,
      isResume: isResume(run),
      ...(run.checkpoint && { checkpoint: run.checkpoint }),
      ...(run.multitaskStrategy && { multitask: run.multitaskStrategy }),
      ...(run.agentVersion !== undefined && { agentVersion: run.agentVersion }),
    });
  } catch (error) {
    isCertain = isServiceError(error) && !errorTable[error.code].retry && error.code !== 'internal';
    throw error;
  } finally {
    stowed?.release({ isCertain });
  }
}

/** Only an answer to an interrupt needs one to be open; `update` and `goto` do not. */
function isResume({ start }: NewRun): boolean {
  if (start.kind !== 'command') return false;
  const command: unknown = JSON.parse(start.json);
  return typeof command === 'object' && command !== null && 'resume' in command;
}
