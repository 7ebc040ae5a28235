import type { RunStatus } from './run.ts';

/** What can happen to a run. `restart`: an attempt was lost and another one follows. */
export type RunEventKind = 'complete' | 'interrupt' | 'fail' | 'restart' | 'cancel' | 'stop';

/**
 * Spec: States and transitions, Run; decisions: "run transitions". A pair that is not listed leaves the
 * status unchanged: a run that has ended does not change again, whatever arrives late.
 * `pending` is defined by the specification and never reached: a run is `running` from its creation.
 */
export const runTransitions: Record<RunStatus, Partial<Record<RunEventKind, RunStatus>>> = {
  pending: {},
  running: {
    complete: 'completed',
    interrupt: 'interrupted',
    fail: 'error',
    restart: 'running',
    cancel: 'cancelling',
    stop: 'cancelled',
  },
  cancelling: {
    // It finished before the cancellation reached it.
    complete: 'completed',
    interrupt: 'cancelled',
    fail: 'cancelled',
    restart: 'cancelled',
    stop: 'cancelled',
  },
  // The response to the cancel has `cancelling`; nothing runs, so the next read returns `cancelled`.
  interrupted: { cancel: 'cancelled' },
  completed: {},
  error: {},
  cancelled: {},
};

/** The status after an event; the same status when the pair is not in the table. */
export function nextRunStatus(from: RunStatus, event: RunEventKind): RunStatus {
  return runTransitions[from][event] ?? from;
}
