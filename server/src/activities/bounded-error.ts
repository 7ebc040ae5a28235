import type { ThreadLimits } from '../model/limits/limits.ts';
import type { RunError } from '../model/run/run.ts';

/** A run's error, small enough for every read of the run: long texts lose their middle. */
export function boundedError(
  error: RunError,
  { errorMessage, errorTraceback }: Pick<ThreadLimits, 'errorMessage' | 'errorTraceback'>,
): RunError {
  const { code, message, type, node, traceback } = error;
  return {
    code,
    message: withoutMiddle(message, errorMessage),
    ...(type !== undefined && { type: withoutMiddle(type, NAME_BYTES) }),
    ...(node !== undefined && { node: withoutMiddle(node, NAME_BYTES) }),
    ...(traceback !== undefined && { traceback: withoutMiddle(traceback, errorTraceback) }),
  };
}

/** Names of exception classes and nodes. */
const NAME_BYTES = 1_024;

/** Partial characters at the cut are removed too. */
function withoutMiddle(text: string, limitBytes: number): string {
  const size = Buffer.byteLength(text);
  if (size <= limitBytes) return text;
  const half = Math.floor(limitBytes / 2);
  const bytes = Buffer.from(text);
  const start = bytes
    .subarray(0, half)
    .toString()
    .replace(/\uFFFD+$/, '');
  const end = bytes
    .subarray(size - half)
    .toString()
    .replace(/^\uFFFD+/, '');
  return `${start}\n… ${size - limitBytes} bytes left out …\n${end}`;
}
