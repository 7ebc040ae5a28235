import { isServiceError } from '../errors/service-error.ts';

/** The meaning of the command line's exit codes (decisions: Service, run). */
export const exitCode = {
  completed: 0,
  failed: 1,
  usage: 2,
  interrupted: 3,
  denied: 4,
  /** 128 + SIGINT, by the convention of shells. */
  stopped: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

const usageCodes = new Set([
  'config_invalid',
  'manifest_invalid',
  'license_invalid',
  'image_unavailable',
  'invalid_request',
]);

/** The exit code for a thrown error. */
export function exitCodeOf(error: unknown): ExitCode {
  if (!isServiceError(error)) return exitCode.failed;
  if (usageCodes.has(error.code)) return exitCode.usage;
  return error.code === 'permission_denied' ? exitCode.denied : exitCode.failed;
}
