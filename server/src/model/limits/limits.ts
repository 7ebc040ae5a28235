/**
 * Every limit of the service, once: constants, and the one table of formulas that are derived from
 * `engine.max_checkpoint_bytes`. Spec: Limits. docs/limits.md is generated from the table.
 */
import { bundleLimitRows } from './bundle-limits.ts';
import { diskLimitRows } from './disk-limits.ts';
import { egressLimitRows } from './egress-limits.ts';
import { intakeLimitRows } from './intake-limits.ts';
import { httpLimitRows } from './http-limits.ts';
import { constant, type LimitBasis, type LimitRow } from './limit-row.ts';
import { imageLimitRows } from './image-limits.ts';
import { policyLimitRows } from './policy-limits.ts';
import { cronLimitRows } from './cron-limits.ts';
import { webhookLimitRows } from './webhook-limits.ts';
import { searchLimitRows } from './search-limits.ts';
import { runWaitRows } from './run-waits.ts';
import { sandboxLimitRows } from './sandbox-limits.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;

/** Spec: Limits, "per-payload size in the engine". A different limit reported by an engine is used. */
export const ENGINE_PAYLOAD_BYTES = 2 * MIB;

/** Payloads stay below it: the engine counts its own envelope too. */
const PAYLOAD_MARGIN = 0.95;

/** One payload of an engine that has the usual limit: a batch, a result, a run's input, a query's response. */
export const PAYLOAD_CEILING_BYTES = Math.floor(PAYLOAD_MARGIN * ENGINE_PAYLOAD_BYTES);

/** The bytes of a frame besides its content: the header of a batch, the envelope of a result. */
export const FRAME_ENVELOPE_BYTES = 64 * KIB;

/** Spec: Limits, `engine.max_checkpoint_bytes`: 0 selects these values. */
const AUTOMATIC_CHECKPOINT_BYTES = { inline: MIB, external: 8 * MIB } as const;

/** An explicit value is used unchanged up to the platform's ceiling. */
export const PLATFORM_CHECKPOINT_BYTES = 24 * MIB;

/** Updates in flight on one thread from one process. Beyond the engine's own limit, admitted ones are aborted. */
export const UPDATES_IN_FLIGHT = 40;

/** Bytes in flight on one thread: a workflow-task response over 4 MiB, which echoes them, kills the thread. */
export const UPDATE_BYTES_IN_FLIGHT = Math.floor(2.5 * MIB);

/** An idle thread continues in a new execution at this many history events … */
export const IDLE_CONTINUE_EVENTS = 1_000;

/** … or at this history size, beyond the state that the execution began with. */
export const IDLE_CONTINUE_BYTES = 2 * MIB;

/**
 * A thread whose state does not fit into the next execution stays in this one for up to 8 times those limits, and 6,000
 * events: a replay of them still fits into a workflow task. Then it stops (Spec: Errors, CANPayloadBudgetExceeded).
 */
export const IDLE_CONTINUE_STRETCH = 8;

/**
 * A thread with an active run continues in a new execution at this many history events: it replays within a second. (The SDK
 * moves all events that are left for each workflow task, so the time grows with their square.) Or at so many …
 */
export const ACTIVE_CONTINUE_EVENTS = 3_000;

/** … Updates … */
export const ACTIVE_CONTINUE_UPDATES = 1_800;

/** … or at this history size. */
export const ACTIVE_CONTINUE_BYTES = 8 * MIB;

/** Runs kept per thread; older ones are removed with their checkpoints (decisions: "long threads"). */
export const MAX_RUN_HISTORY = 1_000;

/** Pairs of a thread's metadata that searches find by an index: the engine accepts 2 KiB in one search attribute. */
export const INDEXED_METADATA_PAIRS = 100;

/** How far ahead a run may be created (`after_seconds`): a year. */
export const RUN_DELAY_SECONDS = 365 * 24 * 3_600;

const refused = 'run ends `checkpoint_too_large`';
const engineCeiling = 'P = 0.95 × what the engine reports (2 MiB)';

/** The one table of limits. */
export const limitRows = {
  checkpoint: {
    what: 'one checkpoint: skeleton, metadata and all its channel values',
    formula: 'M',
    value: ({ maxCheckpointBytes }) => maxCheckpointBytes,
    unit: 'bytes',
    where: 'host, before a save is queued',
    outcome: refused,
    label: 'checkpoint',
  },
  pendingWrite: {
    what: 'one pending-write value',
    formula: 'M',
    value: ({ maxCheckpointBytes }) => maxCheckpointBytes,
    unit: 'bytes',
    where: 'host, before a write is queued',
    outcome: refused,
    label: 'pending_write',
  },
  pendingWriteBatch: {
    what: 'the pending writes of one call of one task',
    formula: '1.5 × M',
    value: ({ maxCheckpointBytes }) => Math.floor(1.5 * maxCheckpointBytes),
    unit: 'bytes',
    where: 'host, before a write is queued',
    outcome: refused,
    label: 'pending_write_batch',
  },
  retainedPendingWrites: {
    what: 'all pending writes that stand beside the checkpoints which a run retains',
    formula: '4 × M',
    value: ({ maxCheckpointBytes }) => 4 * maxCheckpointBytes,
    unit: 'bytes',
    where: 'host, before a write is queued',
    outcome: `those beside older checkpoints go, oldest first; when that is not enough, the ${refused}`,
    label: 'retained_pending_writes',
  },
  payload: {
    what: 'one payload of the engine',
    formula: engineCeiling,
    value: ({ payloadBytes }) => payloadBytes,
    unit: 'bytes',
    where: 'every row below with P',
    outcome: 'see there',
  },
  inlineSave: {
    what: 'what one save or one call of pending writes takes inline, JSON projections included',
    formula: 'P − 64 KiB',
    value: ({ payloadBytes }) => payloadBytes - envelopeOf(payloadBytes),
    unit: 'bytes',
    where: 'host, before a batch is sent',
    outcome: refused,
    label: 'engine_payload',
  },
  runContext: {
    what: 'the `context` of one run as JSON',
    formula: 'P / 8',
    value: ({ payloadBytes }) => Math.floor(payloadBytes / 8),
    unit: 'bytes',
    where: 'host, before the run exists',
    outcome: '413 `payload_too_large`',
    label: 'run_context',
  },
  runInput: {
    what: 'the input of one run, with its config, context and metadata; a run that continues the context of another one has P / 8 less',
    formula: 'P; with external storage the larger of M and P',
    value: ({ payloadBytes, maxCheckpointBytes, isExternal }) =>
      isExternal ? Math.max(maxCheckpointBytes, payloadBytes) : payloadBytes,
    unit: 'bytes',
    where: 'host, before the run exists',
    outcome: '413 `payload_too_large`',
    label: 'run_input',
  },
  runOutput: {
    what: 'output and interrupts of one run',
    formula: 'P − 64 KiB; with external storage the larger of M and that',
    value: ({ payloadBytes, maxCheckpointBytes, isExternal }) => {
      const inline = payloadBytes - envelopeOf(payloadBytes);
      return isExternal ? Math.max(maxCheckpointBytes, inline) : inline;
    },
    unit: 'bytes',
    where: 'host, at the end of the run',
    outcome: 'run ends `payload_too_large`',
    label: 'run_output',
  },
  stateUpdate: {
    what: 'the values of one POST state',
    formula: 'M',
    value: ({ maxCheckpointBytes }) => maxCheckpointBytes,
    unit: 'bytes',
    where: 'host, before a guest is asked',
    outcome: '413 `checkpoint_too_large`',
    label: 'state_update',
  },
  threadMetadata: {
    what: 'the metadata of a thread as JSON',
    formula: '64 KiB',
    value: () => 64 * KIB,
    unit: 'bytes',
    where: 'host at creation, thread at PATCH',
    outcome: '413 `payload_too_large`',
    label: 'thread_metadata',
  },
  runMetadata: {
    what: 'the metadata of a run as JSON',
    formula: '64 KiB',
    value: () => 64 * KIB,
    unit: 'bytes',
    where: 'host, before the run exists',
    outcome: '413 `payload_too_large`',
    label: 'run_metadata',
  },
  errorMessage: {
    what: "a run's `error.message`",
    formula: '16 KiB',
    value: () => 16 * KIB,
    unit: 'bytes',
    where: 'host, at the end of the run',
    outcome: 'the middle is cut out',
  },
  errorTraceback: {
    what: "a run's `error.traceback`",
    formula: '64 KiB',
    value: () => 64 * KIB,
    unit: 'bytes',
    where: 'host, at the end of the run',
    outcome: 'the middle is cut out',
  },
  canPayload: {
    what: 'the whole thread on its way into its next execution',
    formula: '1.9 × M and 1 KiB for each run kept, at most P; `engine.can_payload_budget_bytes`',
    value: ({ canPayloadBudgetBytes, maxCheckpointBytes, payloadBytes }) =>
      Math.min(
        payloadBytes,
        canPayloadBudgetBytes ?? Math.floor(1.9 * maxCheckpointBytes) + MAX_RUN_HISTORY * KIB,
      ),
    unit: 'bytes',
    where: 'thread, at continue-as-new',
    outcome: 'sheds, then stops with `CANPayloadBudgetExceeded`',
  },
  queryResult: {
    what: 'the result of one query; reads are put together from as many as it takes',
    formula: 'P',
    value: ({ payloadBytes }) => payloadBytes,
    unit: 'bytes',
    where: 'thread, while it responds; engine',
    outcome: 'what a single value exceeds: 413 `state_too_large`',
  },
  httpBody: {
    what: 'one request body; `api.max_body_bytes` overrides it',
    formula: '2 × M, at least 8 MiB',
    value: ({ maxCheckpointBytes }) => Math.max(2 * maxCheckpointBytes, 8 * MIB),
    unit: 'bytes',
    where: 'host, while it is read',
    outcome: '413 `payload_too_large`',
  },
  guestMessage: {
    what: 'one message between host and guest',
    formula: '`guest.checkpoint_max_size`',
    value: () => 50 * MIB,
    unit: 'bytes',
    where: 'host server, guest server, guest dial',
    outcome: 'run ends `payload_too_large` or `checkpoint_too_large`',
  },
  updatesInFlight: constant(UPDATES_IN_FLIGHT, {
    what: 'Updates in flight on one thread from one process',
    unit: 'updates',
    where: 'host',
    outcome: 'the next one waits',
  }),
  updateBytesInFlight: constant(UPDATE_BYTES_IN_FLIGHT, {
    what: 'their bytes; a workflow-task response, which echoes them, may have 4 MiB',
    unit: 'bytes',
    where: 'host',
    outcome: 'the next one waits',
  }),
  idleContinueEvents: constant(IDLE_CONTINUE_EVENTS, {
    what: 'history of a thread without an active run, in events',
    unit: 'events',
    where: 'thread',
    outcome: 'continues as new',
  }),
  idleContinueBytes: constant(IDLE_CONTINUE_BYTES, {
    what: 'the same in bytes, beyond the state that the execution began with',
    unit: 'bytes',
    where: 'thread',
    outcome: 'continues as new',
  }),
  activeContinueEvents: constant(ACTIVE_CONTINUE_EVENTS, {
    what: 'history of a thread with an active run, in events',
    unit: 'events',
    where: 'thread',
    outcome: 'continues as new, the run continues',
  }),
  activeContinueUpdates: constant(ACTIVE_CONTINUE_UPDATES, {
    what: 'the same in Updates',
    unit: 'updates',
    where: 'thread',
    outcome: 'continues as new, the run continues',
  }),
  activeContinueBytes: constant(ACTIVE_CONTINUE_BYTES, {
    what: 'the same in bytes; the engine ends a workflow at 50 MiB',
    unit: 'bytes',
    where: 'thread',
    outcome: 'continues as new, the run continues',
  }),
  runHistory: constant(MAX_RUN_HISTORY, {
    what: 'runs kept per thread',
    unit: 'runs',
    where: 'thread',
    outcome: 'the oldest goes, with its checkpoints',
  }),
  indexedMetadata: constant(INDEXED_METADATA_PAIRS, {
    what: "pairs of a thread's metadata that searches find by an index",
    unit: 'pairs',
    where: 'thread',
    outcome: 'found by looking at the thread; `X-Pagination-Total` counts it as found',
  }),
  ...searchLimitRows,
  ...cronLimitRows,
  ...webhookLimitRows,
  ...httpLimitRows,
  ...bundleLimitRows,
  ...diskLimitRows,
  ...imageLimitRows,
  ...egressLimitRows,
  ...intakeLimitRows,
  ...policyLimitRows,
  runDelay: constant(RUN_DELAY_SECONDS * 1_000, {
    what: '`after_seconds` of a new run',
    unit: 'ms',
    where: 'host',
    outcome: '400 `invalid_request`',
  }),
  ...runWaitRows,
  ...sandboxLimitRows,
} satisfies Record<string, LimitRow>;

/** Every limit of one thread, by the name of its row. */
export type ThreadLimits = Readonly<Record<keyof typeof limitRows, number>>;

/** The last result: nearly all threads of a process have the same basis. */
let last: { key: string; limits: ThreadLimits } | undefined;

/** The limits that result from a checkpoint ceiling, the storage and the engine. */
export function deriveLimits(basis: LimitBasis): ThreadLimits {
  const full = { isExternal: false, payloadBytes: PAYLOAD_CEILING_BYTES, ...basis };
  full.maxCheckpointBytes ||= automaticCheckpointBytes(full.isExternal);
  const { maxCheckpointBytes, isExternal, payloadBytes, canPayloadBudgetBytes } = full;
  const key = [maxCheckpointBytes, isExternal, payloadBytes, canPayloadBudgetBytes].join();
  if (last?.key !== key) last = { key, limits: limitsOf(full) };
  return last.limits;
}

function limitsOf(full: Parameters<LimitRow['value']>[0]): ThreadLimits {
  const values = Object.entries(limitRows).map(([name, { value }]) => [name, value(full)]);
  return Object.fromEntries(values) as ThreadLimits; // one member for each row
}

/** The value that 0, the default of `engine.max_checkpoint_bytes`, selects. */
export function automaticCheckpointBytes(isExternal: boolean): number {
  return isExternal ? AUTOMATIC_CHECKPOINT_BYTES.external : AUTOMATIC_CHECKPOINT_BYTES.inline;
}

/** P: the size of one payload for an engine that reports this limit; nothing reported: the usual one. */
export function payloadCeiling(reportedBytes?: number): number {
  if (reportedBytes === undefined || reportedBytes <= 0) return PAYLOAD_CEILING_BYTES;
  return Math.min(PAYLOAD_CEILING_BYTES, Math.floor(PAYLOAD_MARGIN * reportedBytes));
}

/** The engine's own bytes that it counts in addition to ours. */
const ENGINE_ENVELOPE_BYTES = 1_024;

/** The largest frame that an engine with this P accepts. Everything else stays at P, below it. */
export function engineBytesOf(payloadBytes: number): number {
  const isUsual = payloadBytes === PAYLOAD_CEILING_BYTES;
  const reported = isUsual ? ENGINE_PAYLOAD_BYTES : Math.floor(payloadBytes / PAYLOAD_MARGIN);
  return reported - ENGINE_ENVELOPE_BYTES;
}

/** A small engine payload gets a smaller envelope. */
function envelopeOf(payloadBytes: number): number {
  return Math.min(FRAME_ENVELOPE_BYTES, Math.floor(payloadBytes / 16));
}
