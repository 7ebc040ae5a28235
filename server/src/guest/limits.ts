import {
  OUTPUT_BURST_LINES,
  OUTPUT_LINES_PER_SECOND,
  OUTPUT_READ_PER_SECOND,
  OUTPUT_RUN_BYTES,
  OUTPUT_RUN_LINES,
  OUTPUT_TEXT_PER_SECOND,
} from '../model/limits/intake-limits.ts';
import {
  DIALLED_CONNECTIONS,
  HOST_CONNECTIONS,
  OWN_GUESTS,
  THREAD_IDLE_MS,
} from '../model/limits/sandbox-limits.ts';

const SECOND = 1_000;

/** How long and how much the host bears with its guests. Every wait of this room has its bound here. */
export const guestLimits = {
  /** From the start of the process until all agents are imported. */
  readyMs: 60 * SECOND,
  /** Decisions: "cancel that does not stop". */
  cancelGraceMs: 10 * SECOND,
  /** From SIGTERM to SIGKILL. */
  stopGraceMs: 5 * SECOND,
  /** For what a guest has started to be looked up before it is killed; found later is what has its mark. */
  noteMs: SECOND,
  /** From the end of a run until its last write has come in. */
  lastWriteMs: 30 * SECOND,
  /** How long a read waits for the guest's earlier writes. */
  readAfterWriteMs: 30 * SECOND,
  /** From the break of a guest's channel until its end is known: a sandbox takes its time to end with all that is in it. */
  exitAfterBreakMs: 3 * SECOND,
  /** From the death of a guest until what it had sent is read. */
  drainAfterExitMs: 1 * SECOND,
  /** For calls that a healthy guest responds to at once. */
  controlCallMs: 10 * SECOND,
  /** How often a warm guest is asked whether it still responds. */
  livenessEveryMs: 10 * SECOND,
  /** A guest that responds to nothing for so long, because code of an agent holds it, takes no new runs. */
  blockedMs: 15 * SECOND,
  /** So many blocked guests of a language may be replaced at once: each costs its memory until its runs end. */
  blockedAtOnce: 4,
  /** SERVICE_GUEST_STUCK_AFTER: a guest that gave no sign of life for so long is killed. */
  stuckAfterMs: 30 * SECOND,
  /** A wait that took so much longer than it should says that this process stood still itself. */
  hostStoodStillMs: SECOND,
  /** For an agent's schemas and graph: a factory may have to make it first. */
  describeMs: 30 * SECOND,
  /** For a change of a thread's state: the agent's own conditions may run meanwhile. */
  stateUpdateMs: 60 * SECOND,
  /** For the vectors of an item's texts: a model elsewhere may make them. */
  embedMs: 60 * SECOND,
  /** For one answer of the manifest's `auth`, waiting for its guest included. */
  authMs: 10 * SECOND,
  /** How long a request to the manifest's `http.app` waits for its guest. */
  appGuestMs: 10 * SECOND,
  /** From then on until the app begins its answer. */
  appAnswerMs: 300 * SECOND,
  /** How long a run waits for a guest. */
  acquireMs: 120 * SECOND,
  /** Until a request of an agent's client has come, its body included: as over HTTP. */
  apiBodyMs: 300 * SECOND,
  /** While a debugger is attached, limits on a guest's answers do not run out before this. */
  debugHeldMs: 24 * 3600 * SECOND,
  /** How long a guest waits for the client it was told to wait for, and a run for a guest that is debugged. */
  debugWaitMs: 24 * 3600 * SECOND,
  /** How often the IDE is dialled that pydevd is to find. */
  debugDialEveryMs: SECOND / 2,
  /** A debugged guest that did not stop a cancelled run, and does not answer for so long, is replaced. */
  debugFrozenMs: 2 * SECOND,
  /** Backoff between starts of a guest that does not come up. */
  restartMinMs: SECOND / 2,
  restartMaxMs: 30 * SECOND,
  /** A guest that dies younger than this counts as one that did not come up. */
  youngMs: SECOND,
  /** Guests that a run or a thread has for itself, of one language; others wait. */
  isolatedAtOnce: OWN_GUESTS,
  /** SERVICE_GUEST_THREAD_IDLE: a thread's guest without a run ends after so long. */
  threadIdleMs: THREAD_IDLE_MS,
  /** From one guest to its host at once. */
  hostConnections: HOST_CONNECTIONS,
  /** Likewise, for the calls of the host to a guest in a sandbox. */
  dialledConnections: DIALLED_CONNECTIONS,
  /** How long such a call waits for the guest to open a connection. */
  dialMs: 10 * SECOND,
  /** Beyond the largest checkpoint, so that our own check names the payload. */
  messageMarginBytes: 1024 * 1024,
  /** A line of output is cut here. */
  outputLineBytes: 64 * 1024,
  /** Kept of what one guest writes; beyond it lines are dropped. At once so many, … */
  outputBurstLines: OUTPUT_BURST_LINES,
  /** … then so many in a second, and of their text so much. */
  outputLinesPerSecond: OUTPUT_LINES_PER_SECOND,
  outputTextPerSecond: OUTPUT_TEXT_PER_SECOND,
  /** Read of what one guest writes; it waits beyond that. */
  outputReadPerSecond: OUTPUT_READ_PER_SECOND,
  /** Kept of one run's output, and of all runs together. */
  outputRunLines: OUTPUT_RUN_LINES,
  outputRunBytes: OUTPUT_RUN_BYTES,
  outputTotalBytes: 32 * 1024 * 1024,
  /** So long behind the end of its run a line that does not say its run still counts as its own. */
  outputLateMs: SECOND,
  /** After the end of its run, as events are. */
  outputKeptMs: 600 * SECOND,
  /** Latest runs of which it is known where they ran. */
  runSandboxesKept: 10_000,
  /** How often it is looked what the guests of active runs use. */
  usageEveryMs: SECOND,
};

export type GuestLimits = typeof guestLimits;
