// The end of what a job printed. A job that hangs may have printed more than fits into a string.
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

const LINES = 15;
const BYTES = 64 * 1024;

/** The last lines of a file; nothing when there is none. */
export function lastLines(file: string): string {
  if (!existsSync(file)) return '';
  const opened = openSync(file, 'r');
  try {
    const { size } = fstatSync(opened);
    const bytes = Buffer.alloc(Math.min(size, BYTES));
    const count = readSync(opened, bytes, 0, bytes.length, size - bytes.length);
    const text = bytes.toString('utf8', 0, count);
    return text.trimEnd().split('\n').slice(-LINES).join('\n');
  } finally {
    closeSync(opened);
  }
}
