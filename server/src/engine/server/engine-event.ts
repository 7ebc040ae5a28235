import * as z from 'zod';
import { ServiceError } from '../../errors/service-error.ts';
import type { Logger } from '../../observability/logger.ts';
import { identitySchema } from './engine-identity.ts';

const eventSchema = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('ready'),
    address: z.string(),
    pid: z.int(),
    server: z.string(),
    identity: identitySchema.optional(),
  }),
  z.object({ event: z.literal('failed'), code: z.string(), message: z.string() }),
  z.object({ event: z.literal('upgraded'), file: z.string(), copy: z.string() }),
  z.object({ event: z.literal('disk_full') }),
]);

/** One line that the embedded engine writes to its supervisor on standard output. */
export type EngineEvent = z.output<typeof eventSchema>;

/** Why an engine ended by itself, as it reported or as its log shows. */
export interface EngineFailure {
  reason: string;
  sentence: string;
}

/** Parses a line of standard output; undefined when it is not an engine event. */
export function parseEngineEvent(line: string): EngineEvent | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return eventSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** The failure that the last log lines of a program without event lines indicate. */
export function failureFromLog(lastLines: readonly string[]): EngineFailure | undefined {
  const text = lastLines.join('\n');
  if (/address already in use/i.test(text)) {
    return { reason: 'port_taken', sentence: 'The port of the engine is used by another process.' };
  }
  if (/database is locked|SQLITE_BUSY/i.test(text)) {
    return { reason: 'database_locked', sentence: 'The database is in use by another program.' };
  }
  if (/disk is full|no space left/i.test(text)) {
    return {
      reason: 'database_unwritable',
      sentence: 'The disk is full: the database cannot be written.',
    };
  }
  return undefined;
}

/**
 * SQLite's messages for a full disk, and for a write that failed otherwise, which is how an exhausted quota appears.
 */
const unwritten = /database or disk is full|disk I\/O error \(778\)|no space left on device/i;

/** Whether a line of the engine's log reports a write that failed for lack of space. */
export function reportsFullDisk(line: string): boolean {
  return unwritten.test(line);
}

/** The error for an unavailable engine; `details.reason` is the engine's own name for the case. */
export function engineFailed({ reason, sentence }: EngineFailure, cause?: unknown): ServiceError {
  return new ServiceError('engine_unavailable', sentence, { details: { reason }, cause });
}

const lineSchema = z.looseObject({ level: z.string(), msg: z.string() });

/**
 * Forwards a line of the engine's log. The server's warnings are about states that it expects and
 * its errors mostly about requests that it retries, so each is logged one level lower here.
 */
export function logEngineLine(logger: Logger, line: string): void {
  let parsed;
  try {
    parsed = lineSchema.safeParse(JSON.parse(line)).data;
  } catch {
    parsed = undefined;
  }
  if (parsed === undefined) {
    if (line.trim() !== '') logger.debug({ line }, 'engine output');
    return;
  }
  const { level, msg, ts: _ts, time: _time, 'logging-call-at': _at, ...fields } = parsed;
  const isSevere = /^(error|dpanic|panic|fatal)$/i.test(level);
  logger[isSevere ? 'warn' : 'debug']({ engine: { message: msg, ...fields } }, 'engine log');
}
