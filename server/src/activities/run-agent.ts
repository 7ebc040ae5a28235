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
import { compositeRunId, type RunId } from '../model/ids.ts';
import type { RunView } from '../model/run/run.ts';
import type { ThreadActivities } from '../workflows/activity-types.ts';
import { notStarted, settledView } from './attempt-result.ts';
import type { Attempt, CompletionPort } from './ports.ts';
import { HeadCache } from './head-cache.ts';
import { type LiveEnd, LiveRun } from './live-run.ts';
import { type InvocationParts, performInvocation } from './perform-invocation.ts';
import { createRunEvents } from './run-events.ts';
import type { StreamPort } from '../streams/port.ts';

/** The invocations of this process, and what it knows of its runs. */
export interface ProcessRunsPort {
  begin(run: LiveRun): void;
  active(runId: RunId): LiveRun | undefined;
  end(run: LiveRun): void;
  /** The end of a run is durable. */
  ended(runId: RunId, view: RunView): void;
  isStopping(): boolean;
}

/** Four times within the heartbeat timeout, and never later than the SDK's throttle lets through. */
const HEARTBEAT_MS = 1_000;

export interface RunAgentParts extends Omit<InvocationParts, 'heads'> {
  completion: CompletionPort;
  streams: Pick<StreamPort, 'open' | 'append'>;
  local: ProcessRunsPort;
  /** How long an invocation waits to be taken over; see live-run.ts. */
  takeOverGraceMs: number;
}

interface Host extends RunAgentParts, InvocationParts {}

/** The activities of thread workflows, in this process. */
export function createThreadActivities(parts: RunAgentParts): ThreadActivities {
  const host: Host = { ...parts, heads: new HeadCache() };
  return {
    async runAgent(frame) {
      const context = Context.current();
      const attempt = unpackFrame<Attempt>(frame);
      const heartbeat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
      try {
        const run = await liveRun(host, attempt);
        if (!(run instanceof LiveRun)) return packFrame(notStarted(run));
        await followToEnd(host, run, attempt, context);
      } finally {
        clearInterval(heartbeat);
      }
      // The end is acknowledged, or recorded by another activity: the worker has nothing more to report.
      throw new CompleteAsyncError();
    },
  };
}

/**
 * The invocation of the attempt: the one that it takes over, or a new one. An invocation left from previous attempts is
 * stopped first, so that two guests never run on one thread.
 */
async function liveRun(host: Host, attempt: Attempt): Promise<LiveRun | 'deferred' | 'detached'> {
  const known = host.local.active(compositeRunId(attempt.threadId, attempt.runUuid));
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

function beginRun(host: Host, attempt: Attempt): LiveRun {
  const { local, takeOverGraceMs } = host;
  const events = createRunEvents(host.streams, attempt);
  const run: LiveRun = new LiveRun(attempt, {
    invoke: (signal, stopReason) =>
      performInvocation(host, attempt, events, signal, () => stopReason() === 'shutdown'),
    onContinued: (next) => events.continueIn(next),
    onGone: () => local.end(run),
    graceMs: takeOverGraceMs,
  });
  local.begin(run);
  return run;
}

/** Holds the invocation until its end is recorded, or until the engine drops this activity. */
async function followToEnd(
  host: Host,
  run: LiveRun,
  attempt: Attempt,
  context: Context,
): Promise<void> {
  const { cancellationSignal, info } = context;
  const hold = run.take();
  const onCancel = (): void => {
    const details = context.cancellationDetails;
    if (details?.notFound) run.release(hold);
    else if (!hold.isLost()) run.stop(details?.workerShutdown ? 'shutdown' : 'cancel');
  };
  cancellationSignal.addEventListener('abort', onCancel, { once: true });
  try {
    if (cancellationSignal.aborted) onCancel();
    if (attempt.isCancelled) run.stop('cancel');
    const ended = await Promise.race([run.ended, hold.lost]);
    if (ended) await record(host, run, attempt, { ended, hold, taskToken: info.taskToken });
  } catch (error) {
    if (hold.isLost()) return;
    await run.giveUp({ error, isCertain: false });
    throw error;
  } finally {
    cancellationSignal.removeEventListener('abort', onCancel);
  }
}

/** Makes the end durable, then notifies the calls that wait in this process. */
async function record(
  { completion, local }: Host,
  run: LiveRun,
  attempt: Attempt,
  at: { ended: LiveEnd; hold: ReturnType<LiveRun['take']>; taskToken: Uint8Array },
): Promise<void> {
  const { ended, hold, taskToken } = at;
  if (!(await completion.complete(taskToken, packFrame(ended.result)))) {
    run.release(hold);
    return;
  }
  ended.remember();
  run.close();
  const view = run.isStopped ? undefined : settledView(attempt, ended.result, ended.end);
  if (view) local.ended(compositeRunId(view.threadId, view.runUuid), view);
}
