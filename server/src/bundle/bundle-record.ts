/** The lines of a bundle, as docs/bundle-format.md describes them. */
import * as z from 'zod';

/** What the header's `format` says. */
export const BUNDLE_FORMAT = 'agent-runtime-bundle';

/** Grows when a reader of the version before would misread a file; new kinds and new members do not count. */
export const BUNDLE_VERSION = 1;

// The checksum speaks for the base64: a pattern over megabytes would take its own stack.
const typed = z.looseObject({ tag: z.string(), base64: z.string() });
const strings = z.record(z.string(), z.string());
const runError = z.looseObject({
  code: z.string(),
  message: z.string(),
  type: z.exactOptional(z.string()),
  node: z.exactOptional(z.string()),
  traceback: z.exactOptional(z.string()),
});

const header = z.looseObject({
  kind: z.literal('header'),
  format: z.string(),
  version: z.int(),
  created_at: z.string(),
  product: z.looseObject({ name: z.string(), version: z.string() }),
  contents: z.enum(['threads', 'run']),
});

const thread = z.looseObject({
  kind: z.literal('thread'),
  thread_id: z.string(),
  created_at: z.int(),
  updated_at: z.int(),
  metadata: strings,
  is_ephemeral: z.boolean(),
  revision: z.int(),
  queue: z.array(z.string()),
  active: z.exactOptional(z.string()),
  stopped: z.exactOptional(runError),
  questions: z.exactOptional(z.string()),
  context: z.exactOptional(z.string()),
  /** Whatever else a later version keeps of a thread. */
  more: z.exactOptional(z.record(z.string(), z.unknown())),
});

const run = z.looseObject({
  kind: z.literal('run'),
  run_uuid: z.string(),
  agent_id: z.string(),
  status: z.enum([
    'pending',
    'running',
    'completed',
    'interrupted',
    'error',
    'cancelling',
    'cancelled',
  ]),
  created_at: z.int(),
  updated_at: z.int(),
  metadata: z.record(z.string(), z.unknown()),
  attempt: z.int(),
  restart: z.looseObject({
    maxAttempts: z.int(),
    initialBackoffMs: z.number(),
    factor: z.number(),
    maxBackoffMs: z.number(),
  }),
  last_failure: z.exactOptional(z.enum(['CRASH', 'INFRA', 'CAN'])),
  error: z.exactOptional(runError),
  request: z.exactOptional(z.record(z.string(), z.unknown())),
  output: z.exactOptional(z.string()),
  interrupts: z.exactOptional(z.string()),
  context: z.exactOptional(z.string()),
  /** Whatever else a later version keeps of a run. */
  more: z.exactOptional(z.record(z.string(), z.unknown())),
});

const write = z.looseObject({
  task_id: z.string(),
  task_path: z.string(),
  index: z.int(),
  channel: z.string(),
  value: typed,
  json: z.exactOptional(z.string()),
});

const checkpoint = z.looseObject({
  kind: z.literal('checkpoint'),
  ns: z.string(),
  checkpoint_id: z.string(),
  parent_id: z.exactOptional(z.string()),
  ts: z.string(),
  run_uuid: z.string(),
  skeleton: typed,
  metadata: typed,
  metadata_json: z.string(),
  versions: strings,
  writes: z.array(write),
});

const blob = z.looseObject({
  kind: z.literal('blob'),
  ns: z.string(),
  channel: z.string(),
  version: z.string(),
  value: typed,
  json: z.exactOptional(z.string()),
});

const agent = z.looseObject({
  kind: z.literal('agent'),
  agent_id: z.string(),
  version: z.exactOptional(z.string()),
});

const event = z.looseObject({
  kind: z.literal('event'),
  run_uuid: z.string(),
  id: z.int(),
  mode: z.string(),
  ns: z.string(),
  data: z.string(),
});

const gap = z.looseObject({
  kind: z.literal('gap'),
  run_uuid: z.string(),
  lost_through: z.int(),
});

const log = z.looseObject({
  kind: z.literal('log'),
  run_uuid: z.string(),
  at: z.int(),
  stream: z.enum(['stdout', 'stderr']),
  text: z.string(),
});

const end = z.looseObject({
  kind: z.literal('end'),
  counts: z.record(z.string(), z.int()),
  sha256: z.string(),
});

/** The first line. */
export const headerSchema = header;
/** The last line. */
export const endSchema = end;
/** The lines between them, by kind. */
export const recordSchemas = { thread, run, checkpoint, blob, agent, event, gap, log };

export type BundleHeader = z.output<typeof header>;
export type BundleEnd = z.output<typeof end>;
export type BundleRecord = {
  [Kind in keyof typeof recordSchemas]: z.output<(typeof recordSchemas)[Kind]>;
}[keyof typeof recordSchemas];

/** Whether this version knows records of the kind. */
export function isKnownKind(kind: unknown): kind is keyof typeof recordSchemas {
  return typeof kind === 'string' && Object.hasOwn(recordSchemas, kind);
}
