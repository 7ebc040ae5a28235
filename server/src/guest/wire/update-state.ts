import { status } from '@grpc/grpc-js';
import { type ErrorCode, errorTable } from '../../errors/codes.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { jsonText } from '../../model/json.ts';
import type { RunError } from '../../model/run/run.ts';
import { readError, updateRequest } from './agent-wire.ts';
import {
  type CheckpointSession,
  guestCallerOf,
  type StateUpdate,
  type UpdatedState,
} from '../port.ts';
import type { GuestProcess } from '../process/guest-process.ts';
import type { GuestLimits } from '../limits.ts';

/** The guest did not respond within the limit: it must receive no new runs. */
export class GuestResponseTimeout extends ServiceError {
  constructor(limitMs: number) {
    super('guest_unavailable', `The guest did not respond within ${limitMs / 1000} s.`);
  }
}

/** Does one state update on a guest. Resolves when every write of it is durable; rejects with a ServiceError. */
export async function updateStateOn(
  guest: GuestProcess,
  update: StateUpdate,
  signal: AbortSignal,
  limits: GuestLimits,
): Promise<UpdatedState> {
  const head = await update.checkpoints.head();
  const { session: checkpoints, written } = watched(update.checkpoints);
  const { threadId, agentId } = update;
  const caller = guestCallerOf(update.config, { threadId, agentId });
  const session = guest.checkpoints.openToken({ session: checkpoints, threadId, caller });
  try {
    const request = updateRequest(update, session.token, head);
    const response = await guest.agents
      .updateState(request, signal)
      .catch((error: unknown) => failedCall(error, guest, signal, limits));
    const arrival = await session.arrival(response.last_seq ?? 0, limits.lastWriteMs);
    if (session.refusal) throw refusal(session.refusal);
    if (response.error) throw refusal(readError(response.error));
    if (arrival !== 'taken') {
      throw new ServiceError('guest_unavailable', 'A checkpoint of the update did not come in.');
    }
    await written();
    const values = jsonText(response.values_json || '{}');
    return { values, hasNext: response.has_next ?? false };
  } finally {
    guest.checkpoints.closeToken(session);
  }
}

/** The session, and a function that waits until everything written to it is durable. */
function watched(session: CheckpointSession): {
  session: CheckpointSession;
  written: () => Promise<unknown>;
} {
  const writes: Promise<void>[] = [];
  const write: CheckpointSession['write'] = (op, threadId) => {
    const durable = session.write(op, threadId);
    durable.catch(() => undefined); // `written` or the token's session reports it
    writes.push(durable);
    return durable;
  };
  const own: CheckpointSession = {
    head: () => session.head(),
    load: (threadId, ns, id) => session.load(threadId, ns, id),
    list: (query) => session.list(query),
    deleteThread: (threadId) => session.deleteThread(threadId),
    write,
  };
  return { session: own, written: () => Promise.all(writes) };
}

/** Rejects with the reason why the guest itself did not respond to a call about a thread's state. */
export async function failedCall(
  error: unknown,
  guest: GuestProcess,
  signal: AbortSignal,
  limits: GuestLimits,
): Promise<never> {
  if (signal.aborted) {
    const message = 'The change of the state was given up.';
    throw new ServiceError('guest_unavailable', message, { cause: signal.reason });
  }
  const { code, details } = error as { code?: status; details?: string }; // a gRPC error, both optional
  if (code === status.RESOURCE_EXHAUSTED) {
    const message = `The state is larger than SERVICE_GUEST_CHECKPOINT_MAX_SIZE: ${details ?? ''}`;
    throw new ServiceError('checkpoint_too_large', message, { cause: error });
  }
  if (code === status.DEADLINE_EXCEEDED) throw new GuestResponseTimeout(limits.stateUpdateMs);
  // When a process exits, its calls break first and its exit is reported shortly after.
  const late = AbortSignal.timeout(limits.drainAfterExitMs);
  const exit = await Promise.race([
    guest.exited,
    new Promise<undefined>((resolve) =>
      late.addEventListener('abort', () => resolve(undefined), { once: true }),
    ),
  ]);
  const message = exit ?? `The guest did not do it: ${details ?? 'its channel was lost'}`;
  throw new ServiceError('guest_unavailable', message, { cause: error });
}

/** Decisions: "POST state". When the agent's own code rejects the values, the request is at fault. */
function refusal({ code, message }: RunError): ServiceError {
  if (code === 'agent_error') return new ServiceError('invalid_request', message);
  return isErrorCode(code)
    ? new ServiceError(code, message)
    : new ServiceError('internal', message);
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}
