import { isServiceError, ServiceError } from '../errors/service-error.ts';

// `name` is the reader's name for the bundle, `line` and `lines` count from 1.

/** Converts a read error into an error that names the bundle; errors that do not concern the bundle stay unchanged. */
export function readFailure(error: unknown, name: string, lines: number): unknown {
  if (isServiceError(error)) {
    const isUnnamed = error.code === 'bundle_invalid' && !error.message.includes(name);
    if (!isUnnamed) return error;
    return new ServiceError('bundle_invalid', `${name}: ${error.message}`, { cause: error });
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'EISDIR' || code === 'EACCES') {
    const message = `${name} cannot be read: ${code}.`;
    return new ServiceError('config_invalid', message, { cause: error });
  }
  if (code === 'Z_BUF_ERROR') return cutOff(name, lines);
  if (typeof code !== 'string' || !code.startsWith('Z_')) return error;
  if (lines === 0) return noBundle(name);
  return new ServiceError('bundle_invalid', `${name} is damaged after line ${lines}.`, {
    details: { line: lines },
    cause: error,
  });
}

/** There are more JSON values than HTTP imports allow; `whatHas` begins the sentence. */
export function tooMany(whatHas: string, line: number, limit: number): ServiceError {
  const message = `${whatHas} more than ${limit} values up to line ${line}: import it with the command "service threads import".`;
  return new ServiceError('payload_too_large', message, { details: { limit } });
}

/** The file ends before its last line. */
export function cutOff(name: string, lines: number): ServiceError {
  const where = lines === 0 ? 'before its first line is complete' : `after line ${lines}`;
  return new ServiceError('bundle_invalid', `${name} is cut off ${where}.`, {
    details: { line: lines },
  });
}

/** A line was not written by a bundle writer. */
export function damaged(name: string, line: number, reason: string, cause?: unknown): ServiceError {
  return new ServiceError('bundle_invalid', `Line ${line} of ${name} is damaged: ${reason}.`, {
    details: { line },
    cause,
  });
}

/** The file is not a bundle. */
export function noBundle(name: string): ServiceError {
  return new ServiceError('bundle_invalid', `${name} is no bundle of Agent Runtime.`);
}
