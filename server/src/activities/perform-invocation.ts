import type { GuestPort, InvocationEnd } from '../guest/port.ts';
import { deriveLimits, type ThreadLimits } from '../model/limits/limits.ts';
import type { NewRun } from '../model/run/run.ts';
import type { AttemptResult } from '../model/thread/thread-wire.ts';
import { noTracing, type Tracing } from '../observability/tracing.ts';
import { explainedEnd, offloadResult, openRun } from './attempt-payloads.ts';
import { attemptResult, lostWrites, remainingInlineBytes } from './attempt-result.ts';
import type { CheckpointPort } from '../model/checkpoint/checkpoint-port.ts';
import type { Attempt } from './ports.ts';
import { createCheckpointCeilings, type RejectionCounter } from './checkpoint-ceilings.ts';
import { AttemptCheckpoints } from './checkpoint-session.ts';
import type { HeadCache } from './head-cache.ts';
import type { LiveEnd } from './live-run.ts';
import type { OffloadedPayload, RunPayloads } from '../model/checkpoint/payload-port.ts';
import { attemptStart, runConfig, runContext } from './run-config.ts';
import { guestModes, type RunEvents } from './run-events.ts';
import { type HistoryRecorder, recordAttempt, type RunRecording } from './run-recording.ts';
import { type RunTrace, traceAttempt } from './run-trace.ts';

/** The guest's own mode for the history and for traces, which clients cannot ask for. */
const TRACE = 'trace';

export interface InvocationParts {
  guests: Pick<GuestPort, 'invoke'>;
  checkpoints: CheckpointPort;
  payloads: RunPayloads;
  heads: HeadCache;
  /** The limit of one payload of the engine. */
  payloadBytes: number;
  rejections: RejectionCounter;
  /** Absent: nothing is traced. */
  tracing?: Tracing;
  /** Absent: nothing is recorded. */
  history?: HistoryRecorder | undefined;
}

/** Runs the graph to its end, and collects its last writes. */
export async function performInvocation(
  parts: InvocationParts,
  attempt: Attempt,
  events: RunEvents,
  signal: AbortSignal,
  isShutDown: () => boolean,
): Promise<LiveEnd> {
  const opened = await openRun(parts.payloads, attempt);
  const run = 'run' in opened ? opened.run : undefined;
  const recording = recordAttempt(parts.history, attempt, run);
  return traceAttempt(parts.tracing ?? noTracing, attempt, run, (trace) =>
    performOpened(parts, attempt, { opened, events, trace, recording }, signal, isShutDown),
  );
}

/** A run that was read, or its end when it cannot be read, with what is reported of it. */
interface OpenedAttempt {
  opened: Awaited<ReturnType<typeof openRun>>;
  events: RunEvents;
  trace: RunTrace;
  recording: RunRecording;
}

async function performOpened(
  parts: InvocationParts,
  attempt: Attempt,
  opened: OpenedAttempt,
  signal: AbortSignal,
  isShutDown: () => boolean,
): Promise<LiveEnd> {
  const { payloads, heads, rejections } = parts;
  const { threadId, revision } = attempt;
  const limits = attemptLimits(parts, attempt);
  const { ended, session } = await runGraph(parts, attempt, { ...opened, limits }, signal);
  const isCutOff = ended.kind === 'cancelled' && isShutDown();
  const end = explainedEnd(isCutOff ? shutDown() : ended, session.unreadable);
  opened.trace.end(end);
  const fit = attemptResult(end, limits, rejections);
  const lost = (failure: Error): AttemptResult => lostWrites(end, failure, { limits, rejections });
  const { kept: reported, release } = await offloadedResult(parts, attempt, fit, lost);
  const tail = await session.batcher.drain(remainingInlineBytes(reported, limits));
  const result = tail.failure ? lost(tail.failure) : reported;
  result.firstSeq = tail.firstSeq;
  result.ops = tail.ops;
  opened.recording.end(end, result);
  return {
    end,
    result,
    settle({ error, isCertain }) {
      release({ isCertain });
      tail.settle(error);
      payloads.changed(threadId);
    },
    remember() {
      // When writes were lost, or are rolled back with a cancelled run, the session differs from the thread.
      if (tail.failure || result.outcome === 'cancelled') return;
      heads.remember(threadId, revision + session.batcher.count, session.newestHead());
    },
  };
}

async function runGraph(
  { guests, checkpoints, heads, rejections }: InvocationParts,
  attempt: Attempt,
  { opened, limits, ...reports }: OpenedAttempt & { limits: ThreadLimits },
  signal: AbortSignal,
): Promise<{ ended: InvocationEnd; session: AttemptCheckpoints }> {
  const { threadId, runUuid } = attempt;
  const session = new AttemptCheckpoints(
    {
      threadId,
      runUuid,
      attempt: attempt.attempt,
      rememberedHead: heads.find(threadId, attempt),
      isSynchronous: 'run' in opened && opened.run.durability === 'sync',
      ceilings: createCheckpointCeilings({
        limits,
        maxCheckpointHistory: attempt.settings.maxCheckpointHistory,
        rejections,
      }),
    },
    reports.trace.checkpoints(checkpoints),
  );
  reports.events.open('run' in opened ? opened.run.streamModes : []);
  const ended =
    'run' in opened
      ? await guests.invoke(invocation(attempt, opened.run, session, reports), signal)
      : opened.end;
  return { ended, session };
}

/** An output that could not be stored is lost like a checkpoint. */
async function offloadedResult(
  { payloads }: InvocationParts,
  { threadId }: Attempt,
  result: AttemptResult,
  lost: (failure: Error) => AttemptResult,
): Promise<OffloadedPayload<AttemptResult>> {
  try {
    return await offloadResult(payloads, threadId, result);
  } catch (error) {
    const kept = lost(error instanceof Error ? error : new Error(String(error)));
    return { kept, release: () => undefined };
  }
}

/** The ceilings pinned into the run's thread, with the engine's current payload limit. */
function attemptLimits({ payloadBytes }: InvocationParts, { settings }: Attempt): ThreadLimits {
  return deriveLimits({ ...settings, payloadBytes });
}

function invocation(
  attempt: Attempt,
  run: NewRun,
  checkpoints: AttemptCheckpoints,
  { events, trace, recording }: Pick<OpenedAttempt, 'events' | 'trace' | 'recording'>,
): Parameters<GuestPort['invoke']>[0] {
  const { threadId, runUuid, agentId } = attempt;
  const isTraced = recording.isRecorded || trace.isRecorded;
  return {
    threadId,
    runUuid,
    attempt: attempt.attempt,
    agentId,
    start: attemptStart(attempt, run),
    config: runConfig(attempt, run),
    context: runContext(run),
    streamModes: [...guestModes(run.streamModes), ...(isTraced ? [TRACE] : [])],
    streamSubgraphs: run.streamSubgraphs,
    interruptBefore: run.interruptBefore,
    interruptAfter: run.interruptAfter,
    durability: run.durability,
    isIsolated: attempt.hasCrashed ?? attempt.lastFailure === 'CRASH',
    checkpoints,
    onChunk(chunk) {
      if (chunk.mode !== TRACE) return events.chunk(chunk);
      recording.chunk(chunk.data);
      if (trace.isRecorded) trace.chunk(chunk.data);
    },
  };
}

/** The end of a run when its worker shuts down: it was not cancelled, and the next worker continues it. */
function shutDown(): InvocationEnd {
  return { kind: 'infra', message: 'The server was stopped while the run was in flight.' };
}
