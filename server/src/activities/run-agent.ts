import { CompleteAsyncError, Context } from '@temporalio/activity';
import { ServiceError } from '../errors/service-error.ts';
import { errorTable } from '../errors/codes.ts';
import { isServiceError } from '../errors/service-error.ts';
import type { GuestPort, InvocationEnd } from '../guest/port.ts';
import { packFrame, toBytes, unpackFrame } from '../model/frame.ts';
import type { AgentId, RunUuid, ThreadId } from '../model/ids.ts';
import { deriveLimits, type ThreadLimits } from '../model/limits.ts';
import { engineBytes } from '../model/payload.ts';
import type { NewRun, RunView } from '../model/run.ts';
import type { AttemptInput, AttemptResult } from '../model/thread-wire.ts';
import type { StreamPort } from '../streams/port.ts';
import type { ThreadActivities } from '../workflows/activity-types.ts';
import { explainedEnd, openRun, stowResult } from './attempt-payloads.ts';
import { boundedError } from './bounded-error.ts';
import { createCheckpointCeilings, type RejectionCounter } from './checkpoint-ceilings.ts';
import { AttemptCheckpoints } from './checkpoint-session.ts';
import { HeadCache } from './head-cache.ts';
import type {
  AttemptJournalPort,
  CheckpointPort,
  CompletionPort,
  LocalRunsPort,
  PayloadPort,
  Stowed,
} from './ports.ts';
import { attemptStart, runConfig } from './run-config.ts';

/** Four times within the heartbeat timeout, and never later than the SDK's throttle lets through. */
const HEARTBEAT_MS = 1_000;

/** Event ids grow over restarts (decisions: "ids"). */
const EVENTS_PER_ATTEMPT = 1e9;

export interface RunAgentParts {
  guests: Pick<GuestPort, 'invoke'>;
  checkpoints: CheckpointPort;
  payloads: PayloadPort;
  completion: CompletionPort;
  streams: Pick<StreamPort, 'open' | 'append'>;
  local: LocalRunsPort;
  journal: AttemptJournalPort;
  /** What one payload of the engine takes. */
  payloadBytes: number;
  rejections: RejectionCounter;
}

/** The activities of thread workflows, in this process. */
export function createThreadActivities(parts: RunAgentParts): ThreadActivities {
  const heads = new HeadCache();
  return {
    async runAgent(frame) {
      const context = Context.current();
      const { taskToken } = context.info;
      const input = unpackFrame<AttemptInput>(frame);
      if (parts.local.isStopping()) return packFrame(deferred());
      await runAttempt(parts, heads, input, context, taskToken);
      // The end is acknowledged; the worker has nothing more to report.
      throw new CompleteAsyncError();
    },
  };
}

async function runAttempt(
  parts: RunAgentParts,
  heads: HeadCache,
  input: AttemptInput,
  context: Context,
  taskToken: Uint8Array,
): Promise<void> {
  const { attempt } = input;
  const threadId = input.threadId as ThreadId; // was one when the run was accepted
  const runUuid = input.runUuid as RunUuid; // likewise
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  const heartbeat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
  context.cancellationSignal.addEventListener('abort', abort, { once: true });
  try {
    parts.local.begin(threadId, runUuid, abort);
    parts.journal.add(threadId, runUuid, attempt);
    const opened = await openRun(parts.payloads, input);
    const session = new AttemptCheckpoints(
      {
        threadId,
        runUuid,
        attempt,
        rememberedHead: heads.find(threadId, input.revision),
        isSynchronous: 'run' in opened && opened.run.durability === 'sync',
        ceilings: createCheckpointCeilings({
          limits: attemptLimits(parts, input),
          maxCheckpointHistory: input.settings?.maxCheckpointHistory ?? 1,
          rejections: parts.rejections,
        }),
      },
      parts.checkpoints,
    );
    parts.streams.open(runUuid);
    const end =
      'run' in opened
        ? await parts.guests.invoke(
            invocation(input, opened.run, session, parts.streams),
            stop.signal,
          )
        : opened.end;
    const isLost = context.cancellationDetails?.workerShutdown === true;
    const ended = isLost && end.kind === 'cancelled' ? shutDown() : end;
    await finish(parts, heads, {
      input,
      session,
      taskToken,
      end: ended,
      isAborted: stop.signal.aborted,
    });
  } finally {
    clearInterval(heartbeat);
    context.cancellationSignal.removeEventListener('abort', abort);
    parts.journal.remove(runUuid, attempt);
    parts.local.end(runUuid);
  }
}

function invocation(
  input: AttemptInput,
  run: NewRun,
  checkpoints: AttemptCheckpoints,
  streams: Pick<StreamPort, 'append'>,
): Parameters<GuestPort['invoke']>[0] {
  const runUuid = input.runUuid as RunUuid; // was one when the run was accepted
  let nextId = (input.attempt - 1) * EVENTS_PER_ATTEMPT;
  return {
    threadId: input.threadId as ThreadId, // likewise
    runUuid,
    attempt: input.attempt,
    agentId: input.agentId as AgentId, // likewise
    start: attemptStart(input, run),
    config: runConfig(input, run),
    streamModes: run.streamModes,
    streamSubgraphs: run.streamSubgraphs,
    interruptBefore: run.interruptBefore,
    interruptAfter: run.interruptAfter,
    durability: run.durability,
    isIsolated: input.lastFailure === 'CRASH',
    checkpoints,
    onChunk: ({ mode, ns, data }) => {
      nextId += 1;
      streams.append(runUuid, { id: nextId, mode, ns, data });
    },
  };
}

interface Ending {
  input: AttemptInput;
  session: AttemptCheckpoints;
  taskToken: Uint8Array;
  end: InvocationEnd;
  isAborted: boolean;
}

/** Makes the end durable, then tells who waits in this process. */
async function finish(parts: RunAgentParts, heads: HeadCache, ending: Ending): Promise<void> {
  const { input, session, taskToken, isAborted } = ending;
  const end = explainedEnd(ending.end, session.unreadable);
  const threadId = input.threadId as ThreadId; // was one when the run was accepted
  const limits = attemptLimits(parts, input);
  const fit = fitting(attemptResult(end, limits), limits, parts.rejections);
  const { kept: reported, release } = await stowedResult(parts.payloads, threadId, fit, (failure) =>
    attemptResult(lostWrites(end, failure), limits),
  );
  const room = limits.inlineSave - (reported.output ? engineBytes(reported.output) : 0);
  const tail = await session.batcher.drain(Math.max(0, room));
  const result = tail.failure ? attemptResult(lostWrites(end, tail.failure), limits) : reported;
  result.firstSeq = tail.firstSeq;
  result.ops = tail.ops;
  try {
    const isDurable = await parts.completion.complete(taskToken, packFrame(result));
    release({ isCertain: true });
    tail.settle(isDurable ? undefined : fencedOff());
    parts.payloads.changed(threadId);
    if (!isDurable) return;
  } catch (error) {
    release({ isCertain: false });
    tail.settle(error);
    throw error;
  }
  // What it holds at hand is not what the thread has.
  if (!tail.failure)
    heads.remember(threadId, input.revision + session.batcher.count, session.newestHead());
  const view = settledView(input, result, end, isAborted);
  if (view) parts.local.settle(view.runUuid, view);
}

/** An output that could not be kept is lost like a checkpoint. */
async function stowedResult(
  payloads: PayloadPort,
  threadId: ThreadId,
  result: AttemptResult,
  lost: (failure: Error) => AttemptResult,
): Promise<Stowed<AttemptResult>> {
  try {
    return await stowResult(payloads, threadId, result);
  } catch (error) {
    const kept = lost(error instanceof Error ? error : new Error(String(error)));
    return { kept, release: () => undefined };
  }
}

/** A run whose checkpoints could not be kept has not completed, whatever its guest says. */
function lostWrites(end: InvocationEnd, failure: Error): InvocationEnd {
  if (end.kind !== 'completed' && end.kind !== 'interrupted') return end;
  const { message } = failure;
  const isFinal = isServiceError(failure) && !errorTable[failure.code].retry;
  if (isFinal && failure.code !== 'run_fenced') {
    return { kind: 'error', error: { code: failure.code, message } };
  }
  return { kind: 'infra', message: `Checkpoints of the run could not be kept: ${message}` };
}

/** An output that does not fit anywhere ends the run with an error that names both sizes. */
function fitting(
  result: AttemptResult,
  { runOutput: limit }: ThreadLimits,
  rejections: RejectionCounter,
): AttemptResult {
  const size = [result.output, result.interrupts].reduce(
    (sum, payload) => sum + (payload ? engineBytes(payload) : 0),
    0,
  );
  if (size <= limit) return result;
  rejections.inc({ limit: 'run_output', operation: 'finish_run' });
  const { output: _, interrupts: __, ...rest } = result;
  const message = `The run's output is ${size} bytes; the limit is ${limit} bytes.`;
  return { ...rest, outcome: 'error', error: { code: 'payload_too_large', message } };
}

/** The ceilings of the run's thread, pinned into it, and the payload of the engine as it is now. */
function attemptLimits({ payloadBytes }: RunAgentParts, { settings }: AttemptInput): ThreadLimits {
  return deriveLimits({ maxCheckpointBytes: 0, ...settings, payloadBytes });
}

function attemptResult(end: InvocationEnd, limits: ThreadLimits): AttemptResult {
  const base = { endedAt: Date.now(), firstSeq: 1, ops: [] };
  switch (end.kind) {
    case 'completed':
      return { ...base, outcome: 'completed', output: toBytes(end.output) };
    case 'interrupted':
      return {
        ...base,
        outcome: 'interrupted',
        output: toBytes(end.output),
        interrupts: toBytes(end.interrupts),
      };
    case 'error':
      return { ...base, outcome: 'error', error: boundedError(end.error, limits) };
    case 'cancelled':
      return { ...base, outcome: 'cancelled' };
    case 'crash':
    case 'infra':
      return {
        ...base,
        outcome: end.kind,
        error: boundedError({ code: 'restarts_exhausted', message: end.message }, limits),
      };
  }
}

function fencedOff(): ServiceError {
  return new ServiceError('run_fenced', 'The attempt was fenced off before it ended.');
}

function deferred(): AttemptResult {
  return { outcome: 'deferred', endedAt: Date.now(), firstSeq: 1, ops: [] };
}

/** A worker that shuts down hands its runs to whoever comes next; nobody cancelled them. */
function shutDown(): InvocationEnd {
  return { kind: 'infra', message: 'The server was stopped while the run was in flight.' };
}

/**
 * The run as every later read will report it, when that is already certain: a lost attempt may be followed by another
 * one, and a run that was asked to stop ends as its thread decides.
 */
function settledView(
  input: AttemptInput,
  result: AttemptResult,
  end: InvocationEnd,
  isAborted: boolean,
): RunView | undefined {
  const statuses = { completed: 'completed', interrupted: 'interrupted', error: 'error' } as const;
  if (isAborted || !(result.outcome in statuses)) return undefined;
  const status = statuses[result.outcome as keyof typeof statuses]; // just checked
  return {
    threadId: input.threadId as ThreadId, // was one when the run was accepted
    runUuid: input.runUuid as RunUuid, // likewise
    agentId: input.agentId as AgentId, // likewise
    status,
    createdAt: input.createdAt,
    updatedAt: result.endedAt,
    metadata: input.metadata,
    maxAttempts: input.maxAttempts,
    ...(input.attempt > 1 && { attempt: input.attempt }),
    ...(input.lastFailure && { lastFailure: input.lastFailure }),
    ...(result.error && status === 'error' && { error: result.error }),
    ...(result.output && 'output' in end && { output: end.output }),
  };
}
