// The smaller values that cross the bridge, each parsed on its way in.
import * as z from 'zod';

/** One line of the service's log, or of what an agent wrote. */
export const logLineSchema = z.object({
  /** Grows by one a line, over all starts: a key for lists. */
  id: z.int(),
  /** Milliseconds since the epoch. */
  ts: z.number(),
  level: z.enum(['trace', 'debug', 'info', 'warn', 'error']),
  /** `server`, `engine`, or `guest:<language>`. */
  source: z.string(),
  message: z.string(),
  /** `run_id`, `request_id`, `err` … as the server wrote them. */
  fields: z.record(z.string(), z.unknown()),
});

/** What the doctor found about one thing. */
export const findingSchema = z.object({
  id: z.string(),
  title: z.string(),
  state: z.enum(['ok', 'warn', 'fail']),
  detail: z.string(),
  /** What to do; empty when nothing needs doing. */
  fix: z.string(),
});

export const recentFolderSchema = z.object({
  path: z.string(),
  name: z.string(),
  /** Milliseconds since the epoch. */
  openedAt: z.number(),
  /** False once the folder is gone. */
  exists: z.boolean(),
});

/** A file made or read by way of the service, which the window itself may not touch. */
export const savedFileSchema = z.object({ file: z.string(), bytes: z.number() });
export const openedFileSchema = z.object({
  file: z.string(),
  /** What the service answered: the status and its JSON. */
  status: z.int(),
  body: z.unknown(),
});

const providerSchema = z.enum(['debugpy', 'pydevd', 'inspector']);

export const debuggingRequestSchema = z.strictObject({
  agent: z.string().min(1).max(256),
  provider: providerSchema,
  /** 0: a free one. */
  port: z.int().min(0).max(65_535),
});

export const debuggingViewSchema = z.object({
  state: z.enum(['off', 'starting', 'waiting', 'attached', 'failed', 'unavailable']),
  agent: z.exactOptional(z.string()),
  provider: z.exactOptional(providerSchema),
  port: z.exactOptional(z.int()),
  /** Why it failed or cannot be had. */
  message: z.exactOptional(z.string()),
});

export const updateViewSchema = z.object({
  state: z.enum(['off', 'none', 'available', 'downloaded', 'failed']),
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

/** Delays of the main process's event loop since the last look, in milliseconds. */
export const responsivenessSchema = z.object({
  p50: z.number(),
  p99: z.number(),
  max: z.number(),
});

export type LogLine = z.output<typeof logLineSchema>;
export type Finding = z.output<typeof findingSchema>;
export type RecentFolder = z.output<typeof recentFolderSchema>;
export type SavedFile = z.output<typeof savedFileSchema>;
export type OpenedFile = z.output<typeof openedFileSchema>;
export type DebuggingRequest = z.output<typeof debuggingRequestSchema>;
export type DebuggingView = z.output<typeof debuggingViewSchema>;
export type UpdateView = z.output<typeof updateViewSchema>;
export type About = z.output<typeof aboutSchema>;
export type Responsiveness = z.output<typeof responsivenessSchema>;
