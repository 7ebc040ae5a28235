import type { ErrorCode } from './codes.ts';
import { ServiceError } from './service-error.ts';

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
