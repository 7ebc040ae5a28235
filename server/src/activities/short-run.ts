/*
 * Short runs. A run whose caller waits for it begins as a local activity within the workflow task that accepts it: when it
 * ends soon, creation, run and end are one workflow task, which the engine records at once. After SHORT_RUN_MS (more
 * beside other runs), or as soon as the invocation needs its thread (`thread-gate.ts`), the local activity returns
 * `continues`, and `runAgent` takes the live invocation over by its fence.
 *
 * While the task is open, nothing of the run is durable but the start of a stateless run's thread:
 * - The end is recorded with the task. `EngineRuns` sees that in the response to its Update (or, for a stateless run, in
 *   the end of its thread) and confirms the end; until then the invocation is kept, because the task may be repeated: the
 *   same attempt then finds it again.
 * - A process that dies takes a run on an existing thread with it: no client has a response yet. The task of a stateless
 *   run is repeated; it finds no invocation, and the attempt counts as lost. So it does when the task is repeated after the
 *   invocation was given up.
 * - Queries and Updates of the thread wait for the task. So a run that the caller does not wait for never begins so, nor a
 *   stream on an existing thread, whose first events would come before the run is durable.
 * Only with our own engine, which has one worker: another one could not take the invocation over.
 */
import { Context } from '@temporalio/activity';
import { packFrame } from '../model/frame.ts';
import { withoutWrites } from '../model/run/attempt-end.ts';
import type { AttemptResult } from '../model/thread/thread-wire.ts';
import { type AttemptHost, beginRun, knownRun } from './begin-run.ts';
import { closeRecorded, stopWhenCancelled } from './held-run.ts';
import { LiveRun } from './live-run.ts';
import type { Attempt } from './ports.ts';
import { ThreadGate } from './thread-gate.ts';

/** How long a run may take within a workflow task, in milliseconds. The thread's other callers wait as long. */
export const SHORT_RUN_MS = 150;

/** Runs that are active at the same time take longer each: so much more for every one, up to MAX_SHORT_RUN_MS. */
const PER_ACTIVE_RUN_MS = 20;
export const MAX_SHORT_RUN_MS = 500;

/** With this many runs active, further ones begin as activities: their number is limited, so that they wait for their turn. */
export const MAX_ACTIVE_FOR_SHORT = 100;

/**
 * The response to a workflow task has the end twice, for the thread and for the caller, beside the Updates that arrive with
 * it (UPDATE_BYTES_IN_FLIGHT); the engine ends a thread whose response is over 4 MiB. A larger end is left to `runAgent`.
 */
export const SHORT_END_BYTES = 256 * 1_024;

/** The first moments of an attempt: its AttemptResult as a frame, or `continues`. */
export async function performShort(host: AttemptHost, attempt: Attempt): Promise<Uint8Array> {
  const run = shortRun(host, attempt);
  if (!(run instanceof LiveRun)) {
    host.shortRuns.inc({ outcome: 'not_begun' });
    return packFrame(run);
  }
  const hold = run.take();
  const letGo = stopWhenCancelled(run, hold, Context.current());
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, windowMs(host))));
  try {
    const ended = await Promise.race([run.ended, hold.lost, run.gate?.wanted ?? late, late]);
    const frame = ended ? packFrame(ended.result) : undefined;
    if (ended && frame && frame.byteLength <= SHORT_END_BYTES) {
      host.shortRuns.inc({ outcome: 'ended' });
      run.offerEnd(() => closeRecorded(run, attempt, ended));
      return frame;
    }
    host.shortRuns.inc({ outcome: 'continues' });
    host.local.outlasts(run);
    return packFrame(withoutWrites('continues', Date.now()));
  } catch (error) {
    await run.giveUp({ error, isCertain: false });
    throw error;
  } finally {
    clearTimeout(timer);
    letGo();
    run.release(hold);
  }
}

function windowMs({ local }: AttemptHost): number {
  return Math.min(MAX_SHORT_RUN_MS, SHORT_RUN_MS + PER_ACTIVE_RUN_MS * (local.activeCount() - 1));
}

/** The invocation of the attempt, or why there is none. */
function shortRun(host: AttemptHost, attempt: Attempt): LiveRun | AttemptResult {
  const known = knownRun(host, attempt);
  const isSame = known?.attempt.attempt === attempt.attempt && known.gate !== undefined;
  if (known && isSame && !known.isGivenUp) return known;
  if (isSame || host.givenUp.has(attempt) || attempt.isRepeated) return lostTask();
  if (host.local.isStopping()) return withoutWrites('deferred', Date.now());
  // `runAgent` stops an earlier invocation, and waits for its turn.
  const isCrowded = host.local.activeCount() >= MAX_ACTIVE_FOR_SHORT;
  if (known || isCrowded) return withoutWrites('detached', Date.now());
  return beginRun(host, attempt, new ThreadGate());
}

function lostTask(): AttemptResult {
  const message = 'The server that began the run is gone.';
  const error = { code: 'restarts_exhausted', message };
  return { ...withoutWrites('infra', Date.now()), error };
}
