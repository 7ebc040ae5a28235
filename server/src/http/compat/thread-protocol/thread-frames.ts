import { setTimeout as pause } from 'node:timers/promises';
import { isServiceError } from '../../../errors/service-error.ts';
import type { ThreadId } from '../../../model/ids.ts';
import type { Principal } from '../../../model/principal.ts';
import { isSettled, type RunView } from '../../../model/run/run.ts';
import type { RunFollower } from '../../../threads/run-follower.ts';
import type { RunService } from '../../../threads/run-service.ts';
import type { AwaitedEnds } from './awaited-ends.ts';
import { createNumbering, type Frame, seqAt } from './frame.ts';
import { openRunFrames } from './run-frames.ts';
import { isOfStatusAlone, isWanted, type Subscription } from './subscription.ts';

/** How often an idle thread is checked for runs that another process created; those of this one are announced. */
const LOOK_EVERY_MS = 5_000;
/** How often a thread whose next run is delayed or about to begin is looked at. */
const PENDING_EVERY_MS = 250;
/** How long a question waits for what happened before it, on streams of the status alone. */
const QUESTION_HELD_MS = 250;
/** Fewer runs than this begin between two looks. */
const LOOKED_AT = 100;

/** What following a thread needs. */
export interface ThreadFollowing {
  runs: RunService;
  follower: RunFollower;
  awaitedEnds: AwaitedEnds;
}

/** A reader of a thread. */
export interface ThreadReader {
  principal: Principal;
  threadId: ThreadId;
  wanted: Subscription;
}

/**
 * The events of a thread that a reader wants, until the signal fires: those of its newest run from the beginning, then
 * those of each run that follows. A thread that does not exist is waited for.
 */
export async function* threadFrames(
  { runs, follower, awaitedEnds }: ThreadFollowing,
  { principal, threadId, wanted }: ThreadReader,
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  const created = (limitMs: number) => runs.nextCreated(threadId, { limitMs, signal });
  const seen = new Set<string>();
  const numbered = createNumbering();
  const look = looking(runs, principal, threadId);
  let isFirstLook = true;

  while (!signal.aborted) {
    // Begun before the look: a run that is created meanwhile is not missed.
    const next = created(LOOK_EVERY_MS);
    const found = await look();
    if (isFirstLook) skipEnded(found, seen, { wanted, awaitedEnds });
    isFirstLook = false;
    const fresh = found.filter(({ runUuid }) => !seen.has(runUuid));
    // A delayed run does not hold up those that begin before it.
    const run = fresh.find(({ status }) => status !== 'pending');
    if (run === undefined) {
      await (fresh.length === 0 ? next : created(PENDING_EVERY_MS));
      continue;
    }
    seen.add(run.runUuid);
    const framesOf = openRunFrames(run);
    const permitted = await follower.start(principal, run);
    for await (const item of follower.follow(permitted, 0, signal)) {
      for (const frame of framesOf(item)) {
        const one = numbered(frame);
        if (!isWanted(one, wanted)) continue;
        if (isOfStatusAlone(wanted)) await questionHeld(one, signal);
        yield one;
      }
      if (item.kind === 'end' && isOfStatusAlone(wanted)) awaitedEnds.delivered(run);
    }
  }
}

/**
 * LangGraph's Python client has a stream for the status alone, and ends its iterators over all others when that one
 * reports a question: what is still on its way on them would be lost.
 */
async function questionHeld({ method, at }: Frame, signal: AbortSignal): Promise<void> {
  const leftMs = at + QUESTION_HELD_MS - Date.now();
  if (method !== 'input.requested' || leftMs <= 0) return;
  await pause(Math.min(leftMs, QUESTION_HELD_MS), undefined, { signal }).catch(() => undefined);
}

/** Resolves if the principal may follow the thread, which need not exist yet. */
export async function requireOpening(
  runs: RunService,
  principal: Principal,
  threadId: ThreadId,
): Promise<void> {
  await runs.lister(principal, threadId).catch(unlessMissing);
}

function unlessMissing(error: unknown): undefined {
  if (!isServiceError(error) || error.code !== 'thread_not_found') throw error;
  return undefined;
}

/** Looks for the newest runs of a thread, oldest first; a thread that does not exist has none. Asks the policy once. */
function looking(
  runs: RunService,
  principal: Principal,
  threadId: ThreadId,
): () => Promise<RunView[]> {
  let list: Awaited<ReturnType<RunService['lister']>> | undefined;
  return async () => {
    const found: RunView[] = [];
    try {
      list ??= await runs.lister(principal, threadId);
      for await (const run of (await list({ limit: LOOKED_AT, offset: 0 })).items) {
        found.unshift(run);
      }
    } catch (error) {
      unlessMissing(error);
    }
    return found;
  };
}

/**
 * Of the runs that have ended, a reader who continues gets those with events that it lacks, and any other the newest one
 * alone. Who wants the status alone gets what is: an end that a client has seen is no news to its next stream, and would
 * be taken for the end of the run that it starts now.
 */
function skipEnded(
  found: readonly RunView[],
  seen: Set<string>,
  { wanted, awaitedEnds }: { wanted: Subscription; awaitedEnds: AwaitedEnds },
): void {
  const { since } = wanted;
  const newest = found.at(-1);
  for (const run of found) {
    if (!isSettled(run.status)) continue;
    const isMissed = since !== undefined && seqAt(run.updatedAt + 1) > since;
    const isNews = !isOfStatusAlone(wanted) || run.status === 'interrupted' || awaitedEnds.has(run);
    const isReplayed = since === undefined && run === newest && isNews;
    if (!isMissed && !isReplayed) seen.add(run.runUuid);
  }
}
