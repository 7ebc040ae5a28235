import { compositeRunId, type RunId } from '../model/ids.ts';
import type { RunView } from '../model/run/run.ts';
import type { StreamPort } from '../streams/port.ts';
import type { GivenUpAttempts } from './given-up-attempts.ts';
import { LiveRun } from './live-run.ts';
import { type InvocationParts, performInvocation } from './perform-invocation.ts';
import type { Attempt, CompletionPort } from './ports.ts';
import { createRunEvents } from './run-events.ts';
import type { ThreadGate } from './thread-gate.ts';

/** The invocations of this process, and what it knows of its runs. */
export interface ProcessRunsPort {
  begin(run: LiveRun): void;
  active(runId: RunId): LiveRun | undefined;
  activeCount(): number;
  /** A run that began within a workflow task lasts longer: it is recorded for the next process. */
  outlasts(run: LiveRun): void;
  end(run: LiveRun): void;
  /** The end of a run is durable. */
  ended(runId: RunId, view: RunView): void;
  isStopping(): boolean;
}

/** What the activities of attempts need. */
export interface AttemptHost extends InvocationParts {
  completion: CompletionPort;
  streams: Pick<StreamPort, 'open' | 'append'>;
  local: ProcessRunsPort;
  givenUp: GivenUpAttempts;
  shortRuns: { inc(labels: { outcome: 'ended' | 'continues' | 'not_begun' }): void };
  /** How long an invocation waits to be taken over; see live-run.ts. */
  takeOverGraceMs: number;
}

/** The invocation of the attempt's run in this process. */
export function knownRun({ local }: AttemptHost, attempt: Attempt): LiveRun | undefined {
  return local.active(compositeRunId(attempt.threadId, attempt.runUuid));
}

/** Begins an invocation. With a gate, its thread is out of reach until the gate opens. */
export function beginRun(host: AttemptHost, attempt: Attempt, gate?: ThreadGate): LiveRun {
  const { local, takeOverGraceMs } = host;
  const events = createRunEvents(host.streams, attempt);
  const parts = gate ? { ...host, checkpoints: gate.guard(host.checkpoints) } : host;
  const run: LiveRun = new LiveRun(attempt, {
    invoke: (signal, stopReason) =>
      performInvocation(parts, attempt, events, signal, () => stopReason() === 'shutdown'),
    onContinued(next) {
      events.continueIn(next);
      const { threadId, runUuid } = next;
      if (next.attempt > attempt.attempt)
        host.history?.continued(compositeRunId(threadId, runUuid), next.attempt);
    },
    onGone: () => local.end(run),
    graceMs: takeOverGraceMs,
    ...(gate && { gate, onGivenUp: () => host.givenUp.add(attempt) }),
  });
  local.begin(run);
  return run;
}
