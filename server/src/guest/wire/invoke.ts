import { errorTable } from '../../errors/codes.ts';
import { isServiceError } from '../../errors/service-error.ts';
import type { Checkpoint } from '../../model/checkpoint/checkpoint.ts';
import { type GuestEnd, invokeRequest } from './agent-wire.ts';
import {
  guestCallerOf,
  type GuestChunk,
  type Invocation,
  type InvocationEnd,
  type Logger,
} from '../port.ts';
import type { GuestProcess } from '../process/guest-process.ts';
import { InvokeStream, type StreamEnd } from './invoke-stream.ts';
import type { GuestLimits } from '../limits.ts';
import type { TokenSession } from './token-session.ts';

/** How an invocation ended, and whether its guest may still be busy with it. */
export interface InvokeOutcome {
  end: InvocationEnd;
  /** The guest may still execute the run, so it must receive no new ones. */
  isStuck: boolean;
}

/** Runs one invocation on a guest, to its end. Never rejects. */
export async function invokeOn(
  guest: GuestProcess,
  invocation: Invocation,
  signal: AbortSignal,
  { limits, logger }: { limits: GuestLimits; logger: Logger },
): Promise<InvokeOutcome> {
  let head: Checkpoint | undefined;
  try {
    head = await invocation.checkpoints.head();
  } catch (error) {
    return { end: unreadableHead(error, logger), isStuck: false };
  }
  if (signal.aborted) return { end: { kind: 'cancelled' }, isStuck: false };

  let stop = (): void => undefined;
  guest.runs.add(invocation);
  const { threadId, agentId, runUuid } = invocation;
  const session = guest.checkpoints.openToken({
    session: invocation.checkpoints,
    threadId,
    caller: guestCallerOf(invocation.config, { threadId, agentId, runUuid }),
    // A run whose checkpoints are refused must not continue: its state would be lost.
    onRefusal: () => stop(),
  });
  try {
    const call = guest.agents.invoke(
      invokeRequest(invocation, session.token, { head, hasStore: guest.checkpoints.hasStore }),
    );
    const stream = new InvokeStream(guest, call, guarded(invocation, logger), limits);
    stop = () => stream.stop(session.token);
    signal.addEventListener('abort', stop, { once: true });
    if (session.refusal) stop();
    const streamEnd = await stream.ended;
    signal.removeEventListener('abort', stop);
    const end = await judge(streamEnd, guest, session, signal, limits);
    // A guest whose run ended as INFRA must not receive others.
    const isStuck = streamEnd.kind === 'stuck' || streamEnd.kind === 'lost' || end.kind === 'infra';
    return { end, isStuck };
  } finally {
    guest.checkpoints.closeToken(session);
    guest.runs.end(invocation);
  }
}

async function judge(
  streamEnd: StreamEnd,
  guest: GuestProcess,
  session: TokenSession,
  signal: AbortSignal,
  limits: GuestLimits,
): Promise<InvocationEnd> {
  if (streamEnd.kind === 'gone') await guest.checkpoints.drained(limits.drainAfterExitMs);
  const end =
    streamEnd.kind === 'end'
      ? await afterLastWrite(streamEnd.end, guest, session, limits)
      : endWithoutWord(streamEnd, guest, signal);
  const ended: InvocationEnd = session.refusal ? { kind: 'error', error: session.refusal } : end;
  return ended.kind === 'error' && isPassing(ended.error.code)
    ? { kind: 'infra', message: ended.error.message }
    : ended;
}

/** Decisions: "restart": a lost channel, or an engine that stayed unavailable, is INFRA and no fault of the run. */
function isPassing(code: string): boolean {
  return Object.entries(errorTable).some(([known, { retry }]) => known === code && retry);
}

function endWithoutWord(
  streamEnd: Exclude<StreamEnd, { kind: 'end' }>,
  guest: GuestProcess,
  signal: AbortSignal,
): InvocationEnd {
  // A requested stop counts as a cancellation, however the stream ended.
  if (signal.aborted) return { kind: 'cancelled' };
  if (streamEnd.kind === 'gone') return goneWith(guest, streamEnd.message);
  if (streamEnd.kind === 'stuck') return { kind: 'infra', message: 'The guest did not stop.' };
  if (!streamEnd.isTooLarge) return { kind: 'infra', message: streamEnd.message };
  const message = `A message of the run is larger than SERVICE_GUEST_CHECKPOINT_MAX_SIZE: ${streamEnd.message}`;
  return { kind: 'error', error: { code: 'payload_too_large', message } };
}

/** A guest that we killed because it was stuck, or that its sandbox lost, has not crashed. */
function goneWith(guest: GuestProcess, message: string): InvocationEnd {
  if (guest.wasLost) return { kind: 'infra', message };
  return guest.wasStuck ? { kind: 'infra', message, wasStuck: true } : { kind: 'crash', message };
}

async function afterLastWrite(
  { end, lastSeq }: GuestEnd,
  guest: GuestProcess,
  session: TokenSession,
  limits: GuestLimits,
): Promise<InvocationEnd> {
  let stopListening = (): void => undefined;
  const died = new Promise<'died'>((resolve) => {
    stopListening = guest.onExit(() => {
      void guest.checkpoints.drained(limits.drainAfterExitMs).then(() => resolve('died'));
    });
  });
  const arrival = await Promise.race([session.arrival(lastSeq, limits.lastWriteMs), died]);
  stopListening();
  if (arrival === 'taken') return end;
  if (arrival === 'died') {
    const hasAll = (await session.arrival(lastSeq, 0)) === 'taken';
    return hasAll ? end : goneWith(guest, await guest.exited);
  }
  return { kind: 'infra', message: 'A checkpoint of the run did not come in.' };
}

function guarded(invocation: Invocation, logger: Logger): (chunk: GuestChunk) => void {
  return (chunk) => {
    try {
      invocation.onChunk(chunk);
    } catch (error) {
      // A failing reader of chunks must not fail the run.
      logger.error({ err: error, run_id: invocation.runUuid }, 'a chunk could not be passed on');
    }
  };
}

function unreadableHead(error: unknown, logger: Logger): InvocationEnd {
  if (isServiceError(error)) {
    const { code, message } = error;
    return errorTable[code].retry
      ? { kind: 'infra', message }
      : { kind: 'error', error: { code, message } };
  }
  logger.error({ err: error }, 'the head checkpoint could not be read');
  return { kind: 'infra', message: 'The head checkpoint could not be read.' };
}
