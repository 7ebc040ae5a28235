import type { Reply } from '../../../electron/src/ipc/contract.ts';
import { ApiError } from './errors.ts';

/** The value of the desktop's reply; throws its error in the form that every page shows. */
export function valueOf<T>(reply: Reply<T>): T {
  if (reply.ok) return reply.value;
  const { code, message } = reply.error;
  throw new ApiError(0, { code, message, metadata: {} });
}
