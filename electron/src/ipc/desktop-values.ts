// The smaller values that cross the bridge, each parsed on its way in.
import * as z from 'zod';

/** One line of the service's log, or of what an agent wrote. */
export const logLineSchema = z.object({
  /** Grows by one a line, over all starts: a key for lists. */
  id: z.int(),
  /** Milliseconds since the epoch. */
  ts: z.number(),
  level: z.enum(['trace', 'debug', 'info', 'warn', 'error']),
  /** `server`, `engine`, `desktop`, or `guest:<language>:<its process>`. */
  source: z.string(),
  message: z.string(),
  /** `run_id`, `request_id`, `err` … as the server wrote them. */
  fields: z.record(z.string(), z.unknown()),
});

/** What the doctor found about one thing. */
export const findingSchema = z.object({
  id: z.string(),
  title: z.string(),
  /** `absent`: missing, and not needed. */
  state: z.enum(['ok', 'warn', 'fail', 'absent']),
  detail: z.string(),
  /** What to do; empty when nothing needs doing. */
  fix: z.string(),
  /** The button that does it. */
  action: z.exactOptional(z.enum(['build'])),
});

export const recentFolderSchema = z.object({
  path: z.string(),
  name: z.string(),
  /** Milliseconds since the epoch. */
  openedAt: z.number(),
  /** False once the folder has been deleted or moved. */
  exists: z.boolean(),
});

/** A file written from a route of the service; the window itself has no file access. */
export const savedFileSchema = z.object({ file: z.string(), bytes: z.number() });

const providerSchema = z.enum(['debugpy', 'pydevd', 'inspector']);

export const debuggingRequestSchema = z.strictObject({
  provider: providerSchema,
  /** Where clients attach, 0: a free one; for pydevd, where the IDE listens. */
  port: z.int().min(0).max(65_535),
  /** As of `--debug-opt`. */
  options: z.exactOptional(z.record(z.string().max(64), z.string().max(4096))),
});

export const debuggingViewSchema = z.object({
  state: z.enum(['off', 'starting', 'waiting', 'attached', 'failed', 'unavailable']),
  provider: z.exactOptional(providerSchema),
  /** All agents of this language are debugged. */
  language: z.exactOptional(z.enum(['python', 'javascript'])),
  port: z.exactOptional(z.int()),
  /** The process of those agents. */
  pid: z.exactOptional(z.int()),
  /** Why it failed or is unavailable. */
  message: z.exactOptional(z.string()),
});

const sourcePath = z.string().min(1).max(4096);
const debugPort = z.int().min(1).max(65_535);
const configurationName = z.string().min(1).max(200);

/**
 * An entry of VS Code's `launch.json`. Strict, and nothing but attaching on this machine: an entry could also start
 * programs.
 */
export const launchConfigurationSchema = z.discriminatedUnion('type', [
  z.strictObject({
    name: configurationName,
    type: z.literal('debugpy'),
    request: z.literal('attach'),
    connect: z.strictObject({ host: z.literal('127.0.0.1'), port: debugPort }),
    pathMappings: z.array(z.strictObject({ localRoot: sourcePath, remoteRoot: sourcePath })).max(4),
    justMyCode: z.boolean(),
  }),
  z.strictObject({
    name: configurationName,
    type: z.literal('node'),
    request: z.literal('attach'),
    address: z.literal('127.0.0.1'),
    port: debugPort,
    localRoot: sourcePath,
    remoteRoot: sourcePath,
    sourceMaps: z.boolean(),
    skipFiles: z.array(z.string().max(200)).max(8),
    restart: z.boolean(),
  }),
]);

/** The file that has the entry now, and whether the entry is new. */
export const launchEntrySchema = z.object({ file: z.string(), isNew: z.boolean() });

export const updateViewSchema = z.object({
  state: z.enum(['off', 'none', 'downloaded', 'failed']),
  version: z.exactOptional(z.string()),
  message: z.exactOptional(z.string()),
});

export const aboutSchema = z.object({
  version: z.string(),
  electron: z.string(),
  chrome: z.string(),
  node: z.string(),
  platform: z.string(),
  profile: z.string(),
});

/** Delays of the main process's event loop since the last measurement, in milliseconds. */
export const responsivenessSchema = z.object({
  p50: z.number(),
  p99: z.number(),
  max: z.number(),
});

export type LogLine = z.output<typeof logLineSchema>;
export type Finding = z.output<typeof findingSchema>;
export type RecentFolder = z.output<typeof recentFolderSchema>;
export type SavedFile = z.output<typeof savedFileSchema>;
export type DebuggingRequest = z.output<typeof debuggingRequestSchema>;
export type DebuggingView = z.output<typeof debuggingViewSchema>;
export type LaunchConfiguration = z.output<typeof launchConfigurationSchema>;
export type LaunchEntry = z.output<typeof launchEntrySchema>;
export type UpdateView = z.output<typeof updateViewSchema>;
export type Responsiveness = z.output<typeof responsivenessSchema>;
