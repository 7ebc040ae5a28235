/** Limits of the engine and the numbers derived from them. Spec: Limits; figures measured, see docs/performance.md. */

/** Spec: Limits, "per-payload size in the engine": 2 MiB. We stay below, the engine counts its own
 * envelope too. One batch of checkpoint writes, an activity's result, a run's input and a query's answer are one payload
 * each. */
export const PAYLOAD_CEILING_BYTES = Math.floor(1.9 * 1024 * 1024);

/** Updates in flight on one thread from one process. Beyond the engine's own limit, admitted ones are aborted. */
export const UPDATES_IN_FLIGHT = 40;

/** Bytes in flight on one thread: a workflow-task response over 4 MiB, which echoes them, kills the thread. */
export const UPDATE_BYTES_IN_FLIGHT = Math.floor(2.5 * 1024 * 1024);

/** A thread that is idle goes on in a new execution at this many history events … */
export const IDLE_CONTINUE_EVENTS = 1_000;

/** … or at this history size. */
export const IDLE_CONTINUE_BYTES = 2 * 1024 * 1024;

/**
 * A thread whose state does not fit into the next execution stays in this one for up to so many times those limits:
 * at 8,000 events a replay still fits into a workflow task. Then it stops (Spec: Errors, CANPayloadBudgetExceeded).
 */
export const IDLE_CONTINUE_STRETCH = 8;

/** Runs kept per thread; older ones go with their checkpoints (decisions: "long threads"). */
export const MAX_RUN_HISTORY = 1_000;

/** How long checkpoint writes may wait for company before they are sent. A run that ends sooner costs no Update. */
export const CHECKPOINT_LINGER_MS = 200;

/** After this long a cancelled run that does not stop is fenced off (decisions: "cancel that does not stop"). */
export const CANCEL_GRACE_MS = 10_000;

/** An activity that is silent for this long is lost with its worker. */
export const HEARTBEAT_TIMEOUT_MS = 5_000;
