/*
 * Attempts. The activity has no retry policy: the loop in the workflow restarts, because `attempt` and `last_failure`
 * must be visible while the run continues. An attempt continues from the head as soon as its run has its own
 * checkpoint, before that from the run's own start. An answer to a question makes no checkpoint: whether a lost attempt
 * has consumed it is determined by the run that made the pending writes (`Write.run_id`, `ListRequest.own`;
 * `later_attempt.py`, `later-attempt.ts`), because the previous question may have got the same answer. LangGraph
 * resumes every sub-graph of the step at which an attempt continues, so one with its own memory that the lost attempt
 * had not called would return the result of its last call: the savers detect such a call by the parents of its
 * checkpoint, and it receives its input (`sub_graph_calls.py`, `sub-graph-calls.ts`).
 */
import { CompleteAsyncError, Context } from '@temporalio/activity';
import { packFrame, unpackFrame } from '../model/frame.ts';
import { compositeRunId } from '../model/ids.ts';
import { withoutWrites } from '../model/run/attempt-end.ts';
import type { ThreadActivities } from '../workflows/activity-types.ts';
import { type AttemptHost, beginRun, knownRun } from './begin-run.ts';
import type { Attempt } from './ports.ts';
import { GivenUpAttempts } from './given-up-attempts.ts';
import { HeadCache } from './head-cache.ts';
import { closeRecorded, stopWhenCancelled } from './held-run.ts';
import { type LiveEnd, LiveRun } from './live-run.ts';
import { performShort } from './short-run.ts';

/** Four times within the heartbeat timeout, and never later than the SDK's throttle lets through. */
const HEARTBEAT_MS = 1_000;

/** What the activities are created with. */
export type ThreadActivityParts = Omit<AttemptHost, 'heads' | 'givenUp'>;

/** The activities of thread workflows, in this process. */
export function createThreadActivities(parts: ThreadActivityParts): ThreadActivities {
  const host: AttemptHost = { ...parts, heads: new HeadCache(), givenUp: new GivenUpAttempts() };
  return {
    async runAgent(frame) {
      const context = Context.current();
      const attempt = unpackFrame<Attempt>(frame);
      const heartbeat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
      try {
        const run = await liveRun(host, attempt);
        if (!(run instanceof LiveRun)) return packFrame(withoutWrites(run, Date.now()));
        await followToEnd(host, run, attempt, context);
      } finally {
        clearInterval(heartbeat);
      }
      // The end is acknowledged, or recorded by another activity: the worker has nothing more to report.
      throw new CompleteAsyncError();
    },

    async runShort(frame) {
      return performShort(host, unpackFrame<Attempt>(frame));
    },
  };
}

/**
 * The invocation of the attempt: the one that it takes over, or a new one. An invocation left from previous attempts is
 * stopped first, so that two guests never run on one thread.
 */
async function liveRun(
  host: AttemptHost,
  attempt: Attempt,
): Promise<LiveRun | 'deferred' | 'detached'> {
  const known = knownRun(host, attempt);
  const isKnown = known?.attempt.attempt === attempt.fence && !known?.isGivenUp;
  if (attempt.fence !== undefined && known && isKnown) {
    known.continueIn(attempt);
    return known;
  }
  await known?.giveUp();
  if (attempt.fence !== undefined) return 'detached';
  if (host.local.isStopping()) return 'deferred';
  return beginRun(host, attempt);
}

/** Holds the invocation until its end is recorded, or until the engine drops this activity. */
async function followToEnd(
  host: AttemptHost,
  run: LiveRun,
  attempt: Attempt,
  context: Context,
): Promise<void> {
  const { taskToken } = context.info;
  const hold = run.take();
  const letGo = stopWhenCancelled(run, hold, context);
  try {
    if (attempt.isCancelled) run.stop('cancel');
    const ended = await Promise.race([run.ended, hold.lost]);
    if (ended) await record(host, run, attempt, { ended, hold, taskToken });
  } catch (error) {
    if (hold.isLost()) return;
    await run.giveUp({ error, isCertain: false });
    throw error;
  } finally {
    letGo();
  }
}

/** Makes the end durable, then notifies the calls that wait in this process. */
async function record(
  { completion, local }: AttemptHost,
  run: LiveRun,
  attempt: Attempt,
  at: { ended: LiveEnd; hold: ReturnType<LiveRun['take']>; taskToken: Uint8Array },
): Promise<void> {
  const { ended, hold, taskToken } = at;
  if (!(await completion.complete(taskToken, packFrame(ended.result)))) {
    run.release(hold);
    return;
  }
  const view = closeRecorded(run, attempt, ended);
  if (view) local.ended(compositeRunId(view.threadId, view.runUuid), view);
}
