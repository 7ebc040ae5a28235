/** The result of an attempt for its thread, and for calls that wait in this process. */
import { errorTable } from '../errors/codes.ts';
import { isServiceError } from '../errors/service-error.ts';
import type { InvocationEnd } from '../guest/port.ts';
import { toBytes } from '../model/frame.ts';
import type { ThreadLimits } from '../model/limits/limits.ts';
import { engineBytes } from '../model/checkpoint/payload.ts';
import { withoutWrites } from '../model/run/attempt-end.ts';
import { runFacts, type RunView } from '../model/run/run.ts';
import type { AttemptResult } from '../model/thread/thread-wire.ts';
import type { Attempt } from './ports.ts';
import { boundedError } from './bounded-error.ts';
import type { RejectionCounter } from './checkpoint-ceilings.ts';

/** The end of an invocation without its last writes. An output that does not fit anywhere is an error. */
export function attemptResult(
  end: InvocationEnd,
  limits: ThreadLimits,
  rejections: RejectionCounter,
): AttemptResult {
  return fitting(resultOf(end, limits), limits, rejections);
}

/** How many bytes of writes fit beside the result. */
export function remainingInlineBytes(result: AttemptResult, { inlineSave }: ThreadLimits): number {
  const { output, interrupts, error } = result;
  const taken = [output, interrupts].reduce(
    (sum, payload) => sum + (payload ? engineBytes(payload) : 0),
    error ? toBytes(JSON.stringify(error)).byteLength : 0,
  );
  return Math.max(0, inlineSave - taken);
}

/** A run whose checkpoints could not be saved has not completed, whatever its guest reports. */
export function lostWrites(
  end: InvocationEnd,
  failure: Error,
  { limits, rejections }: { limits: ThreadLimits; rejections: RejectionCounter },
): AttemptResult {
  const resultFor = (instead: InvocationEnd): AttemptResult =>
    attemptResult(instead, limits, rejections);
  if (end.kind !== 'completed' && end.kind !== 'interrupted') return resultFor(end);
  const { message } = failure;
  const isFinal = isServiceError(failure) && !errorTable[failure.code].retry;
  if (isFinal && failure.code !== 'run_fenced') {
    return resultFor({ kind: 'error', error: { code: failure.code, message } });
  }
  const lost = `Checkpoints of the run could not be kept: ${message}`;
  return resultFor({ kind: 'infra', message: lost });
}

/**
 * The run as every later read will report it, when that is already certain: a lost attempt may be followed by another
 * one, and the thread decides how a run that was asked to stop ends.
 */
export function settledView(
  attempt: Attempt,
  result: AttemptResult,
  end: InvocationEnd,
): RunView | undefined {
  const statuses = { completed: 'completed', interrupted: 'interrupted', error: 'error' } as const;
  if (!(result.outcome in statuses)) return undefined;
  const status = statuses[result.outcome as keyof typeof statuses]; // just checked
  return {
    ...runFacts(attempt),
    threadId: attempt.threadId,
    status,
    updatedAt: result.endedAt,
    maxAttempts: attempt.maxAttempts,
    ...(attempt.attempt > 1 && { attempt: attempt.attempt }),
    ...(attempt.lastFailure && { lastFailure: attempt.lastFailure }),
    ...(result.error && status === 'error' && { error: result.error }),
    ...(result.output && 'output' in end && { output: end.output }),
  };
}

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

function resultOf(end: InvocationEnd, limits: ThreadLimits): AttemptResult {
  const base = withoutWrites(end.kind, Date.now());
  switch (end.kind) {
    case 'completed':
      return { ...base, output: toBytes(end.output) };
    case 'interrupted':
      return {
        ...base,
        output: toBytes(end.output),
        interrupts: toBytes(end.interrupts),
      };
    case 'error':
      return { ...base, error: boundedError(end.error, limits) };
    case 'cancelled':
      return base;
    case 'crash':
    case 'infra':
      return {
        ...base,
        error: boundedError({ code: 'restarts_exhausted', message: end.message }, limits),
        ...(end.kind === 'infra' && end.wasStuck && { wasStuck: true }),
      };
  }
}
