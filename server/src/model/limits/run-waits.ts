/** Time limits around a run. */
import { constant, type LimitRow } from './limit-row.ts';

/**
 * How long checkpoint writes may wait for further ones before they are sent. A run that ends sooner costs no Update.
 */
export const CHECKPOINT_LINGER_MS = 200;

/**
 * How long a reader of a stream waits for a question until its run is settled. While other nodes go on, the checkpoint
 * with the question is saved within this time: `CHECKPOINT_LINGER_MS`, and an Update of the thread.
 */
export const QUESTION_HOLD_MS = 1_000;

/** A cancelled run that has not stopped after this time is fenced off (decisions: "cancel that does not stop"). */
export const CANCEL_GRACE_MS = 10_000;

/** An activity that sends no heartbeat for this long is lost with its worker. */
export const HEARTBEAT_TIMEOUT_MS = 5_000;

/** The rows of docs/limits.md. */
export const runWaitRows = {
  checkpointLinger: constant(CHECKPOINT_LINGER_MS, {
    what: 'wait of a write for company',
    unit: 'ms',
    where: 'host',
    outcome: 'it is sent',
  }),
  questionHold: constant(QUESTION_HOLD_MS, {
    what: 'wait of a streamed question for the end of its run',
    unit: 'ms',
    where: 'host',
    outcome: 'it is streamed',
  }),
  cancelGrace: constant(CANCEL_GRACE_MS, {
    what: 'time of a cancelled run to stop',
    unit: 'ms',
    where: 'host and thread',
    outcome: 'it is fenced off',
  }),
  heartbeat: constant(HEARTBEAT_TIMEOUT_MS, {
    what: 'silence of an attempt',
    unit: 'ms',
    where: 'engine',
    outcome: 'its worker is lost: INFRA',
  }),
} satisfies Record<string, LimitRow>;
