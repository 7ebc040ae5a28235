import type { Readable } from 'node:stream';

import { guestLimits, type GuestLimits } from './limits.ts';

/** One line that an agent, or something below it, wrote. Without `runId` nobody knows which run it was. */
export interface OutputLine {
  /** Milliseconds since the epoch. */
  at: number;
  stream: 'stdout' | 'stderr';
  text: string;
  runId?: string;
}

/** What the guest runtime itself says on stdout, behind this mark. */
const MARK = '\x1e';

export interface OutputReaders {
  onLine(line: OutputLine): void;
  onEvent(name: string): void;
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
  if (mark >= 0) readMarked(line.slice(mark + 1), readers);
}

function readMarked(json: string, readers: OutputReaders): void {
  let message: { event?: unknown; run_id?: unknown; stream?: unknown; text?: unknown };
  try {
    message = JSON.parse(json) as typeof message; // every field is checked below
  } catch {
    readers.onLine({ at: Date.now(), stream: 'stdout', text: json });
    return;
  }
  if (typeof message.event === 'string') readers.onEvent(message.event);
  if (typeof message.text !== 'string') return;
  const line: OutputLine = {
    at: Date.now(),
    stream: message.stream === 'stderr' ? 'stderr' : 'stdout',
    text: message.text.slice(0, guestLimits.outputLineBytes),
  };
  if (typeof message.run_id === 'string' && message.run_id !== '') line.runId = message.run_id;
  readers.onLine(line);
}

/** The output of one run, as far as it is kept. */
interface RunOutput {
  lines: OutputLine[];
  bytes: number;
}

/** What a line costs besides its text. */
const LINE_BYTES = 100;

/** The output of the latest runs, bounded for each and in total: the oldest goes first. */
export class OutputLog {
  readonly #runs = new Map<string, RunOutput>();
  readonly #limits: GuestLimits;
  #bytes = 0;

  constructor(limits: GuestLimits = guestLimits) {
    this.#limits = limits;
  }

  append(line: OutputLine): void {
    if (line.runId === undefined) return;
    const output = this.#runs.get(line.runId) ?? { lines: [], bytes: 0 };
    this.#runs.set(line.runId, output);
    output.lines.push(line);
    this.#count(output, sizeOf(line));
    while (output.bytes > this.#limits.outputRunBytes) {
      const oldest = output.lines.shift();
      if (!oldest) break;
      this.#count(output, -sizeOf(oldest));
    }
    for (const [runId, oldest] of this.#runs) {
      if (this.#bytes <= this.#limits.outputTotalBytes) break;
      this.#bytes -= oldest.bytes;
      this.#runs.delete(runId);
    }
  }

  /** What the run has written as far as it is kept, oldest first. */
  read(runId: string): OutputLine[] {
    return [...(this.#runs.get(runId)?.lines ?? [])];
  }

  #count(output: RunOutput, bytes: number): void {
    output.bytes += bytes;
    this.#bytes += bytes;
  }
}

function sizeOf(line: OutputLine): number {
  return LINE_BYTES + 2 * line.text.length;
}
