import type { InvocationEnd } from '../guest/port.ts';
import type { AttemptOutcome } from '../history/events.ts';
import type { RunRecorder } from '../history/recorder.ts';
import { originOf } from '../history/run-origin.ts';
import { compositeRunId } from '../model/ids.ts';
import type { JsonText } from '../model/json.ts';
import type { NewRun } from '../model/run/run.ts';
import type { AttemptResult } from '../model/thread/thread-wire.ts';
import type { Attempt } from './ports.ts';

/** What of the history an attempt needs. */
export type HistoryRecorder = Pick<RunRecorder, 'begun' | 'traced' | 'ended' | 'continued'>;

/** What an attempt leaves in the run history. */
export interface RunRecording {
  /** False: nothing is recorded. */
  readonly isRecorded: boolean;
  /** Takes what the guest reports of its nodes and calls. */
  chunk(data: JsonText): void;
  end(end: InvocationEnd, result: AttemptResult): void;
}

const noRecording: RunRecording = {
  isRecorded: false,
  chunk: () => undefined,
  end: () => undefined,
};

/** Begins the record of an attempt. Without a history nothing is recorded. */
export function recordAttempt(
  history: HistoryRecorder | undefined,
  attempt: Attempt,
  run: NewRun | undefined,
): RunRecording {
  if (!history || !run) return noRecording;
  const { threadId, runUuid, attempt: number } = attempt;
  const runId = compositeRunId(threadId, runUuid);
  history.begun(runId, {
    attempt: number,
    at: Date.now(),
    origin: () => originOf(attempt, run),
  });
  return {
    isRecorded: true,
    chunk: (data) => history.traced(runId, data),
    end: (end, result) => history.ended(runId, number, outcomeOf(end, result)),
  };
}

/** How the attempt ended for its thread; the output is kept where the thread keeps it. */
function outcomeOf(end: InvocationEnd, result: AttemptResult): AttemptOutcome {
  const { outcome, error } = result;
  const kind =
    outcome === 'deferred' || outcome === 'detached' || outcome === 'continues' ? 'infra' : outcome;
  return {
    kind,
    ...(error && { error }),
    ...(result.output && 'output' in end && { output: end.output }),
  };
}
