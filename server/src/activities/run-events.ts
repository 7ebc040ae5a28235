import type { GuestChunk } from '../guest/port.ts';
import { compositeRunId } from '../model/ids.ts';
import { toJsonText } from '../model/json.ts';
import type { StreamMode } from '../model/run/run.ts';
import type { StreamPort } from '../streams/port.ts';
import type { Attempt } from './ports.ts';

/** Event ids grow over restarts (decisions: "ids"). */
const EVENTS_PER_ATTEMPT = 1e9;

type AttemptNumbers = Pick<Attempt, 'attempt' | 'lastFailure'>;

/** The stream modes that the guest streams: those that the run asks for, without what this process adds itself. */
export function guestModes(asked: readonly StreamMode[]): string[] {
  return asked.filter((mode) => mode !== 'lifecycle');
}

/** What an invocation reports to the readers of its run. */
export interface RunEvents {
  /** Opens the log of the run, and reports the attempt if the run streams `lifecycle`. */
  open(modes: readonly StreamMode[]): void;
  chunk(chunk: GuestChunk): void;
  /** The invocation continues under another attempt: the thread has changed executions. */
  continueIn(attempt: AttemptNumbers): void;
}

/** Creates the events of the invocation that begins with this attempt. Their ids continue over later attempts. */
export function createRunEvents(
  streams: Pick<StreamPort, 'open' | 'append'>,
  first: Pick<Attempt, 'threadId' | 'runUuid' | 'attempt' | 'lastFailure'>,
): RunEvents {
  const runId = compositeRunId(first.threadId, first.runUuid);
  let nextId = (first.attempt - 1) * EVENTS_PER_ATTEMPT;
  let newest = first.attempt;
  let isLifecycleWanted = false;
  /** Attempts that began before the run's stream modes were known. */
  let early: AttemptNumbers[] | undefined = [first];

  function chunk({ mode, ns, data }: GuestChunk): void {
    nextId += 1;
    streams.append(runId, { id: nextId, mode, ns, data, at: Date.now() });
  }

  function report({ attempt, lastFailure }: AttemptNumbers): void {
    if (!isLifecycleWanted) return;
    const ts = new Date().toISOString();
    const data = toJsonText({ attempt, last_failure: lastFailure ?? null, ts });
    chunk({ mode: 'lifecycle', ns: '', data });
  }

  return {
    open(modes) {
      streams.open(runId);
      isLifecycleWanted = modes.includes('lifecycle');
      for (const attempt of early ?? []) report(attempt);
      early = undefined;
    },
    chunk,
    continueIn(attempt) {
      // An attempt whose activity is repeated is reported once.
      if (attempt.attempt <= newest) return;
      newest = attempt.attempt;
      if (early) early.push(attempt);
      else report(attempt);
    },
  };
}
