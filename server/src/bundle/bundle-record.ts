/** The lines of a bundle, as docs/bundle-format.md describes them. Unknown members are refused. */
import * as z from 'zod';
import { BUNDLE_CHANNELS, BUNDLE_PARTS, BUNDLE_WRITES } from '../model/limits/bundle-limits.ts';
import { IDEMPOTENCY_KEYS_PER_THREAD } from '../model/thread/idempotency.ts';
import {
  parseAgentId,
  parseChannelVersion,
  parseCheckpointId,
  parseCheckpointNs,
  parseRunUuid,
  parseTaskId,
  parseThreadId,
  type RunUuid,
} from '../model/ids.ts';
import { deriveLimits } from '../model/limits/limits.ts';
import { OUTSIDE_RUNS } from '../model/thread/thread-record.ts';
import {
  decimal,
  idOf,
  instant,
  integer,
  json,
  listOf,
  metadataOf,
  name,
  namesOf,
  projection,
  text,
  time,
  typed,
} from './bundle-fields.ts';
import { requestSchema } from './request-record.ts';

/** The value of the header's `format`. */
export const BUNDLE_FORMAT = 'agent-runtime-bundle';

/** Increases with every new member and every change; new kinds of lines do not count, since readers skip them. */
export const BUNDLE_VERSION = 2;

/** Maximum characters of each member of `made_by`. All of them fit into a header in any escaping. */
export const MADE_BY_LENGTH = 2_000;

/** Maximum attempts of a run: restarts, and changes of executions. */
const ATTEMPTS = 1_000_000;

/** Bounds of the restart settings: engine.run_restart. */
const RESTARTS = 1_000;
const BACKOFF_MS = 1_000_000_000_000;
const BACKOFF_FACTOR = 1_000_000_000;

const limits = deriveLimits({ maxCheckpointBytes: 0 });

const threadId = idOf(parseThreadId, 'id of a thread');
const runUuid = idOf(parseRunUuid, 'uuid of a run');
const checkpointId = idOf(parseCheckpointId, 'id of a checkpoint');
const ns = idOf(parseCheckpointNs, 'checkpoint namespace');
const agentId = idOf(parseAgentId, 'name of an agent');
const flag = z.boolean({ error: 'must be true or false' });
const isText = (value: unknown): boolean => typeof value === 'string';

/** The run that saved a checkpoint; a copy or an edit creates checkpoints outside of runs. */
const saver = idOf<RunUuid | typeof OUTSIDE_RUNS>(
  (value) => (value === OUTSIDE_RUNS ? OUTSIDE_RUNS : parseRunUuid(value)),
  'uuid of a run',
);

const runStatus = z.enum([
  'pending',
  'running',
  'completed',
  'interrupted',
  'error',
  'cancelling',
  'cancelled',
]);

// The host cuts them by bytes and inserts a note in the middle.
const runError = z.strictObject({
  code: text(200),
  message: text(2 * limits.errorMessage),
  type: z.exactOptional(text(4_000)),
  node: z.exactOptional(text(4_000)),
  traceback: z.exactOptional(text(2 * limits.errorTraceback)),
});

/**
 * An unverified claim, like everything in the file. `sub`, `issuer`: over HTTP; `user`, `host`: on the command line.
 */
const madeBy = z.strictObject({
  sub: z.exactOptional(text(MADE_BY_LENGTH)),
  issuer: z.exactOptional(text(MADE_BY_LENGTH)),
  user: z.exactOptional(text(MADE_BY_LENGTH)),
  host: z.exactOptional(text(MADE_BY_LENGTH)),
});

const header = z.strictObject({
  kind: z.literal('header'),
  format: text(100),
  version: integer({ min: 1 }),
  created_at: instant,
  product: z.strictObject({ name: text(200), version: text(200) }),
  contents: z.enum(['threads', 'run']),
  // Since version 2.
  made_by: z.exactOptional(madeBy),
});

const rememberedKey = z.strictObject({
  key: text(200),
  body: text(200),
  runUuid,
  at: time,
});

const thread = z.strictObject({
  kind: z.literal('thread'),
  thread_id: threadId,
  created_at: time,
  updated_at: time,
  metadata: metadataOf<string>(isText, limits.threadMetadata),
  is_ephemeral: flag,
  revision: integer(),
  queue: listOf(runUuid, BUNDLE_PARTS.run),
  active: z.exactOptional(runUuid),
  stopped: z.exactOptional(runError),
  questions: z.exactOptional(json),
  context: z.exactOptional(text(limits.runContext)),
  more: z.exactOptional(
    z.strictObject({
      agentId: z.exactOptional(agentId),
      owner: z.exactOptional(text(4_000)),
      left: z.exactOptional(runStatus),
      isWithdrawn: z.exactOptional(flag),
      keys: z.exactOptional(listOf(rememberedKey, IDEMPOTENCY_KEYS_PER_THREAD)),
    }),
  ),
});

const run = z.strictObject({
  kind: z.literal('run'),
  run_uuid: runUuid,
  agent_id: agentId,
  status: runStatus,
  created_at: time,
  updated_at: time,
  metadata: metadataOf<unknown>(() => true, limits.runMetadata),
  attempt: integer({ max: ATTEMPTS }),
  restart: z.strictObject({
    maxAttempts: integer({ max: RESTARTS }),
    initialBackoffMs: decimal({ min: 0, max: BACKOFF_MS }),
    factor: decimal({ min: 1, max: BACKOFF_FACTOR }),
    maxBackoffMs: decimal({ min: 0, max: BACKOFF_MS }),
  }),
  last_failure: z.exactOptional(z.enum(['CRASH', 'INFRA', 'CAN'])),
  error: z.exactOptional(runError),
  request: z.exactOptional(requestSchema),
  output: z.exactOptional(json),
  interrupts: z.exactOptional(json),
  context: z.exactOptional(text(limits.runContext)),
  more: z.exactOptional(
    z.strictObject({
      continuations: z.exactOptional(integer({ max: ATTEMPTS })),
      fence: z.exactOptional(integer({ max: ATTEMPTS })),
      hasCrashed: z.exactOptional(flag),
      retryAt: z.exactOptional(time),
      notBefore: z.exactOptional(time),
      agentVersion: z.exactOptional(text(200)),
      base: z.exactOptional(checkpointId),
      isRolledBack: z.exactOptional(flag),
      continues: z.exactOptional(flag),
      hasWritten: z.exactOptional(flag),
      isVoid: z.exactOptional(flag),
    }),
  ),
});

const write = z.strictObject({
  task_id: idOf(parseTaskId, 'id of a task'),
  task_path: text(4_000),
  index: integer({ min: -1_000, max: 10_000_000 }),
  channel: name,
  value: typed,
  json: z.exactOptional(projection),
});

const checkpoint = z.strictObject({
  kind: z.literal('checkpoint'),
  ns,
  checkpoint_id: checkpointId,
  parent_id: z.exactOptional(checkpointId),
  ts: instant,
  run_uuid: saver,
  skeleton: typed,
  metadata: typed,
  metadata_json: json,
  versions: namesOf(parseChannelVersion, { what: 'version', max: BUNDLE_CHANNELS }),
  writes: listOf(write, BUNDLE_WRITES),
});

const blob = z.strictObject({
  kind: z.literal('blob'),
  ns,
  channel: name,
  version: idOf(parseChannelVersion, 'version of a channel'),
  value: typed,
  json: z.exactOptional(projection),
});

const agent = z.strictObject({
  kind: z.literal('agent'),
  agent_id: agentId,
  version: z.exactOptional(text(200)),
});

const event = z.strictObject({
  kind: z.literal('event'),
  run_uuid: runUuid,
  id: integer(),
  mode: text(200),
  ns,
  data: projection,
});

const gap = z.strictObject({
  kind: z.literal('gap'),
  run_uuid: runUuid,
  lost_through: integer(),
});

const log = z.strictObject({
  kind: z.literal('log'),
  run_uuid: runUuid,
  at: time,
  stream: z.enum(['stdout', 'stderr']),
  text: text(64 * 1024),
});

const end = z.strictObject({
  kind: z.literal('end'),
  counts: z.record(text(100), integer()),
  sha256: text(64),
});

/** The first line. */
export const headerSchema = header;
/** The last line. */
export const endSchema = end;
/** The lines between header and end, by kind. */
export const recordSchemas = { thread, run, checkpoint, blob, agent, event, gap, log };

type Schemas = typeof recordSchemas;

export type BundleHeader = z.output<typeof header>;
/** The maker that a bundle claims. */
export type MadeBy = z.output<typeof madeBy>;
export type BundleEnd = z.output<typeof end>;
/** A line to be written. */
export type BundleRecord = { [Kind in keyof Schemas]: z.input<Schemas[Kind]> }[keyof Schemas];
/** A line that was read: its ids are parsed, and every member is within its bounds. */
export type CheckedRecord = { [Kind in keyof Schemas]: z.output<Schemas[Kind]> }[keyof Schemas];

/** True when this version supports records of the kind. */
export function isKnownKind(kind: unknown): kind is keyof Schemas {
  return typeof kind === 'string' && Object.hasOwn(recordSchemas, kind);
}
