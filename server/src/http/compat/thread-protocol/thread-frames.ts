import { setTimeout as pause } from 'node:timers/promises';
import { isServiceError } from '../../../errors/service-error.ts';
import type { ThreadId } from '../../../model/ids.ts';
import { QUESTION_HOLD_MS } from '../../../model/limits/run-waits.ts';
import type { Principal } from '../../../model/principal.ts';
import { isSettled, type RunView } from '../../../model/run/run.ts';
import type { RunFollower } from '../../../threads/run-follower.ts';
import type { RunService } from '../../../threads/run-service.ts';
import type { AwaitedEnds } from './awaited-ends.ts';
import { createNumbering, type Frame, type RunFrame, seqAt } from './frame.ts';
import { openRunFrames } from './run-frames.ts';
import { isOfStatusAlone, isWanted, type Subscription } from './subscription.ts';

/** How often an idle thread is checked for runs that another process created; those of this one are announced. */
const LOOK_EVERY_MS = 5_000;
/** How often a thread whose next run is delayed or about to begin is looked at. */
const PENDING_EVERY_MS = 250;
/** Streams of the status alone send a question so much later than all others, which have sent what came before it. */
const STATUS_LAG_MS = 250;
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
  const openedAt = Date.now();
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
    for await (const frame of runFrames(follower, principal, run, signal)) {
      const one = numbered(frame);
      if (!isWanted(one, wanted)) continue;
      if (isOfStatusAlone(wanted)) await questionHeld(one, signal);
      yield one;
      if (isOfStatusAlone(wanted) && isEnd(one)) awaitedEnds.delivered(run, openedAt);
    }
  }
}

/** The frames of one run. One that is removed while it is followed ends as a run that was cancelled. */
async function* runFrames(
  follower: RunFollower,
  principal: Principal,
  run: RunView,
  signal: AbortSignal,
): AsyncGenerator<RunFrame> {
  const framesOf = openRunFrames(run);
  try {
    const permitted = await follower.start(principal, run);
    for await (const item of follower.follow(permitted, 0, signal)) yield* framesOf(item);
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'run_not_found') throw error;
    const removed = { ...run, status: 'cancelled' as const, updatedAt: Date.now() };
    yield* framesOf({ kind: 'end', id: 0, run: removed });
  }
}

function isEnd({ method, namespace, eventId }: RunFrame): boolean {
  return method === 'lifecycle' && namespace.length === 0 && !eventId.endsWith(':running');
}

/**
 * LangGraph's Python client has a stream for the status alone, and ends its iterators over all others when that one
 * reports a question: what is still on its way on them would be lost.
 */
async function questionHeld({ method, at }: Frame, signal: AbortSignal): Promise<void> {
  // The others may have had to wait for the question, too; an old one is shown at once.
  const leftMs = at + QUESTION_HOLD_MS + STATUS_LAG_MS - Date.now();
  if (method !== 'input.requested' || leftMs <= 0) return;
  await pause(Math.min(leftMs, STATUS_LAG_MS), undefined, { signal }).catch(() => undefined);
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
      list = undefined; // the policy knows no owner yet
    }
    return found;
  };
}

/**
 * Marks the ended runs that a reader does not get. With `since` it gets those with later events, otherwise the newest
 * run. A stream of the status alone does not repeat the end of a run: a client that starts a run now would take it for
 * the end of that one.
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
    const isShown =
      !isOfStatusAlone(wanted) || run.status === 'interrupted' || awaitedEnds.has(run);
    const isReplayed = since === undefined && run === newest && isShown;
    if (!isMissed && !isReplayed) seen.add(run.runUuid);
  }
}
