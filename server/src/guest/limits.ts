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

/** The time and resource limits that the host applies to its guests. Every wait of this room has its bound here. */
export const guestLimits = {
  /** From the start of the process until all agents are imported. */
  readyMs: 60 * SECOND,
  /** Decisions: "cancel that does not stop". */
  cancelGraceMs: 10 * SECOND,
  /** From SIGTERM to SIGKILL. */
  stopGraceMs: 5 * SECOND,
  /** For looking up a guest's child processes before it is killed; later ones are found by the guest's mark. */
  noteMs: SECOND,
  /** From the end of a run until its last write has arrived. */
  lastWriteMs: 30 * SECOND,
  /** How long a read waits for the guest's earlier writes. */
  readAfterWriteMs: 30 * SECOND,
  /** From the break of a guest's channel until its exit is known: a sandbox ends only after all its processes. */
  exitAfterBreakMs: 3 * SECOND,
  /** From the exit of a guest until everything that it had sent is read. */
  drainAfterExitMs: 1 * SECOND,
  /** For calls that a healthy guest responds to at once. */
  controlCallMs: 10 * SECOND,
  /** Interval of the health checks of a warm guest. */
  livenessEveryMs: 10 * SECOND,
  /** A guest that responds to nothing for this time, because agent code blocks it, receives no new runs. */
  blockedMs: 15 * SECOND,
  /** Most blocked guests of a language that are replaced at once: each keeps its memory until its runs end. */
  blockedAtOnce: 4,
  /** SERVICE_GUEST_STUCK_AFTER: a guest that gives no sign of life for this time is killed. */
  stuckAfterMs: 30 * SECOND,
  /** A wait that exceeds its time by this much shows that this process itself was suspended. */
  hostStoodStillMs: SECOND,
  /** For an agent's schemas and graph: a factory may have to create the agent first. */
  describeMs: 30 * SECOND,
  /** For a change of a thread's state: the agent's own conditions may run meanwhile. */
  stateUpdateMs: 60 * SECOND,
  /** For the vectors of an item's texts: a remote model may compute them. */
  embedMs: 60 * SECOND,
  /** For a model that is called again outside of its run. */
  modelCallMs: 300 * SECOND,
  /** For one response of the manifest's `auth`, including the wait for its guest. */
  authMs: 10 * SECOND,
  /** How long a request to the manifest's `http.app` waits for its guest. */
  appGuestMs: 10 * SECOND,
  /** From then on until the app begins its response. */
  appResponseMs: 300 * SECOND,
  /** How long a run waits for a guest. */
  acquireMs: 120 * SECOND,
  /** Until a request of an agent's client has arrived, including its body: as over HTTP. */
  apiBodyMs: 300 * SECOND,
  /** While a debugger is attached, limits on a guest's responses do not expire before this. */
  debugHeldMs: 24 * 3600 * SECOND,
  /** How long a guest waits for its debug client when one is required, and a run for a guest that is debugged. */
  debugWaitMs: 24 * 3600 * SECOND,
  /** Interval of the attempts to connect to the IDE for pydevd. */
  debugDialEveryMs: SECOND / 2,
  /** A debugged guest that did not stop a cancelled run, and does not respond for this time, is replaced. */
  debugFrozenMs: 2 * SECOND,
  /** Backoff between starts of a guest that fails to start. */
  restartMinMs: SECOND / 2,
  restartMaxMs: 30 * SECOND,
  /** A guest that exits sooner than this after its start counts as one that failed to start. */
  youngMs: SECOND,
  /** Most guests of one language that serve a single run or thread at a time; further ones wait. */
  isolatedAtOnce: OWN_GUESTS,
  /** SERVICE_GUEST_THREAD_IDLE: a thread's guest without a run ends after this time. */
  threadIdleMs: THREAD_IDLE_MS,
  /** Most simultaneous connections from one guest to its host. */
  hostConnections: HOST_CONNECTIONS,
  /** Likewise, for the calls of the host to a guest in a sandbox. */
  dialledConnections: DIALLED_CONNECTIONS,
  /** How long such a call waits for the guest to open a connection. */
  dialMs: 10 * SECOND,
  /** On top of the largest checkpoint, so that our own check, which names the payload, applies. */
  messageMarginBytes: 1024 * 1024,
  /** A line of output is cut here. */
  outputLineBytes: 64 * 1024,
  /** Output that is kept of one guest; lines beyond it are dropped. Burst of lines, … */
  outputBurstLines: OUTPUT_BURST_LINES,
  /** … then lines per second, and bytes of text per second. */
  outputLinesPerSecond: OUTPUT_LINES_PER_SECOND,
  outputTextPerSecond: OUTPUT_TEXT_PER_SECOND,
  /** Output that is read of one guest; beyond that its writes block. */
  outputReadPerSecond: OUTPUT_READ_PER_SECOND,
  /** Kept of one run's output, and of all runs together. */
  outputRunLines: OUTPUT_RUN_LINES,
  outputRunBytes: OUTPUT_RUN_BYTES,
  outputTotalBytes: 32 * 1024 * 1024,
  /** For this time after the end of a run, a line that names no run is still attributed to it. */
  outputLateMs: SECOND,
  /** How long output is kept after the end of its run, as events are. */
  outputKeptMs: 600 * SECOND,
  /** Number of latest runs whose sandbox is remembered. */
  runSandboxesKept: 10_000,
  /** Interval of measuring the resource usage of the guests of active runs. */
  usageEveryMs: SECOND,
};

export type GuestLimits = typeof guestLimits;
