import type { Reply } from '../../../electron/src/ipc/contract.ts';
import { ApiError } from './errors.ts';

/** What the desktop answered; throws what went wrong there as every page shows errors. */
export function valueOf<T>(reply: Reply<T>): T {
  if (reply.ok) return reply.value;
  const { code, message } = reply.error;
  throw new ApiError(0, { code, message, metadata: {} });
}
