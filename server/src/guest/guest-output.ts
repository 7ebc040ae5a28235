import type { Readable } from 'node:stream';

import { guestLimits } from './limits.ts';

/** One line that an agent, or something below it, wrote. Without `runUuid` the guest does not say which run it was. */
export interface OutputLine {
  /** Milliseconds since the epoch. */
  at: number;
  stream: 'stdout' | 'stderr';
  text: string;
  runUuid?: string;
}

/** What the guest runtime itself says on stdout, behind this mark. */
const MARK = '\x1e';

export interface OutputReaders {
  onLine(line: OutputLine): void;
  onEvent(name: string, port?: number): void;
}

/** Reads a guest's stdout or stderr line by line; long lines are cut. */
export function readOutput(
  source: Readable,
  stream: 'stdout' | 'stderr',
  readers: OutputReaders,
): void {
  let rest = '';
  source.setEncoding('utf8');
  source.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) readLine(line, stream, readers);
    if (rest.length <= 16 * guestLimits.outputLineBytes) return;
    readLine(rest, stream, readers);
    rest = '';
  });
  source.on('end', () => {
    if (rest !== '') readLine(rest, stream, readers);
    rest = '';
  });
  source.on('error', () => undefined); // the process is gone, and its exit is reported elsewhere
}

function readLine(line: string, stream: 'stdout' | 'stderr', readers: OutputReaders): void {
  // Native code writes without a newline at times, so the mark can stand behind other text.
  const mark = stream === 'stdout' ? line.indexOf(MARK) : -1;
  const plain = (mark < 0 ? line : line.slice(0, mark)).replace(/\r$/, '');
  if (plain !== '' || mark < 0) {
    readers.onLine({ at: Date.now(), stream, text: plain.slice(0, guestLimits.outputLineBytes) });
  }
  if (mark < 0) return;
  // A thread that says it is alive does so also where another one has written half of its line.
  for (const record of line.slice(mark + 1).split(MARK)) readMarked(record, readers);
}

function readMarked(json: string, readers: OutputReaders): void {
  let message: Partial<Record<'event' | 'port' | 'run_id' | 'stream' | 'text', unknown>>;
  try {
    message = JSON.parse(json) as typeof message; // every field is checked below
  } catch {
    const text = json.slice(0, guestLimits.outputLineBytes);
    readers.onLine({ at: Date.now(), stream: 'stdout', text });
    return;
  }
  if (typeof message.event === 'string') {
    readers.onEvent(message.event, typeof message.port === 'number' ? message.port : undefined);
  }
  if (typeof message.text !== 'string') return;
  const line: OutputLine = {
    at: Date.now(),
    stream: message.stream === 'stderr' ? 'stderr' : 'stdout',
    text: message.text.slice(0, guestLimits.outputLineBytes),
  };
  if (typeof message.run_id === 'string' && message.run_id !== '') line.runUuid = message.run_id;
  readers.onLine(line);
}
