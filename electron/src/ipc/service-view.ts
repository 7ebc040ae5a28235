import * as z from 'zod';

const before = ['folder', 'settings'] as const;
const after = ['agents', 'engine', 'threads', 'api'] as const;

/** The steps of kinds of starts, in the order they happen. A sandbox installs the agents' packages itself. */
export const startSteps = {
  plain: [...before, 'packages', ...after],
  sandboxed: [...before, 'sandbox', 'images', ...after],
  /** Images that are missing are built. */
  building: [...before, 'sandbox', 'images', 'build', ...after],
} as const;

const stepNames = [...before, 'packages', 'sandbox', 'images', 'build', ...after] as const;

const stepSchema = z.object({
  name: z.enum(stepNames),
  state: z.enum(['waiting', 'running', 'done', 'failed']),
  /** How long it took, or has taken until it failed. */
  ms: z.exactOptional(z.number()),
  /** What it is doing, or what it found. */
  message: z.exactOptional(z.string()),
});

/** What the page can offer with a failure. */
const helpingActions = [
  'restart',
  'install',
  'build',
  'choose_folder',
  'logs',
  'doctor',
  'settings',
  'connect',
] as const;

const failureSchema = z.object({
  /** Absent when the service ended by itself after it had been ready. */
  step: z.exactOptional(z.enum(stepNames)),
  /** The server's error code, or `service_ended`. */
  code: z.string(),
  /** What happened and why, one or two sentences. */
  message: z.string(),
  /** What to do about it. */
  help: z.string(),
  actions: z.array(z.enum(helpingActions)),
});

const missingPackagesSchema = z.object({
  /** One sentence: what exists, and what is missing. */
  because: z.string(),
  /** What an installation runs, as a person would type it. */
  command: z.exactOptional(z.string()),
  /** Why nothing can install them. */
  needs: z.exactOptional(z.string()),
});

/** The state of the service behind `/api`; every change is sent as a whole new view. */
export const serviceViewSchema = z.object({
  state: z.enum(['stopped', 'starting', 'ready', 'failed', 'stopping', 'remote']),
  /** The agent folder, absolute; absent while stopped without one and for a remote service. */
  folder: z.exactOptional(z.string()),
  /** The address it listens on. For users and their own clients: the page calls `/api` of its own origin. */
  url: z.exactOptional(z.string()),
  port: z.exactOptional(z.int()),
  /** Of this start or the last one; empty for a remote service. */
  steps: z.array(stepSchema),
  failure: z.exactOptional(failureSchema),
  /** Warnings of the configuration, such as a misspelt variable. */
  warnings: z.array(z.string()),
  /** Packages that the folder requires and that are not installed; absent: none. */
  missingPackages: z.exactOptional(z.array(missingPackagesSchema)),
});

/** The progress of a start, or why it failed. */
export type StartStep = z.output<typeof stepSchema>;
export type MissingPackages = z.output<typeof missingPackagesSchema>;
export type StepName = StartStep['name'];
export type ServiceFailure = z.output<typeof failureSchema>;
export type HelpingAction = ServiceFailure['actions'][number];
export type ServiceView = z.output<typeof serviceViewSchema>;
