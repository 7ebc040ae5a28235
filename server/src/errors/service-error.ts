import type { ErrorCode } from './codes.ts';

const codes: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthenticated',
  403: 'permission_denied',
};

/** The error for what a handler of the agents' own `auth` refused, with its status and its words. */
export function refusedBy(
  { status, detail }: { status: number; detail: string },
  details: Record<string, unknown> = {},
): ServiceError {
  const isFailure = !Number.isInteger(status) || status < 400 || status > 599;
  const code = codes[status] ?? 'auth_refused';
  return new ServiceError(code, detail === '' ? 'The request was refused.' : detail, {
    details,
    status: isFailure ? 500 : status,
  });
}

/** What a ServiceError may carry besides its sentence. `details` reach the client, `cause` only the log. */
export interface ServiceErrorOptions {
  details?: Record<string, unknown>;
  cause?: unknown;
  /** The HTTP status, where it is not the code's own: that of the agents' own `auth`. */
  status?: number;
}

/** The one error class of the service. Branch on `code`, never on text. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;
  readonly status?: number;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    if (options.status !== undefined) this.status = options.status;
  }
}

/** True for our own errors, also when they come from another copy of this module. */
export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && error.name === 'ServiceError' && 'code' in error;
}

/** The reason of an error, as clients may see it: system errors of files and sockets without the path. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message } = error;
  if (!('code' in error && 'syscall' in error)) return message;
  // `ENOSPC: no space left on device, mkdir '/home/ada'`, `connect ENOENT /run/a.sock`, `spawn /opt/runsc EACCES`
  const [, words] = /^([A-Z]+\d*: [^,']*)/.exec(message) ?? [];
  return words ?? `${String(error.syscall).split(' ')[0]} ${String(error.code)}`;
}
