/*
 * Standard output of agents is tagged with the run's id in the guest itself; the host reads tagged lines from the
 * pipe, so output survives a crash.
 */
import type { Readable } from 'node:stream';
import { setImmediate as othersTurn } from 'node:timers/promises';

import { guestLimits } from '../limits.ts';
import type { OutputAllowance } from './output-allowance.ts';

/** One line that an agent, or a process that it started, wrote. Without `runUuid` the guest named no run. */
export interface GuestLine {
  /** Milliseconds since the epoch. */
  at: number;
  stream: 'stdout' | 'stderr';
  text: string;
  runUuid?: string;
}

/** The mark before messages of the guest runtime itself on stdout. */
const MARK = '\x1e';

/** How its own events begin; messages with agents' output begin with the run. */
const EVENT = new RegExp(`${MARK}(\\{"event":[^${MARK}\\n]*)`, 'g');

/** Most lines in one turn of the event loop: each is a line of the log. */
const LINES_AT_ONCE = 200;

export interface OutputReaders {
  onLine(line: GuestLine): void;
  onEvent(name: string, port?: number): void;
}

/**
 * Reads a guest's stdout or stderr line by line; long lines are cut, and output beyond its allowance is dropped. Yields
 * to the event loop regularly, however much output arrives. Resolves at the end.
 */
export async function readOutput(
  source: Readable,
  stream: 'stdout' | 'stderr',
  readers: OutputReaders,
  allowance: OutputAllowance,
): Promise<void> {
  let rest = '';
  source.setEncoding('utf8');
  try {
    for await (const chunk of source) {
      const part = chunk as string; // by its encoding
      rest = await readLines(rest + part, stream, readers, allowance);
      if (rest.length > 16 * guestLimits.outputLineBytes) {
        readAllowed(rest, stream, readers, allowance);
        rest = '';
      }
      await allowance.read(Buffer.byteLength(part));
      await othersTurn();
    }
  } catch {
    // The process has exited, which is reported elsewhere.
  }
  if (rest !== '') readAllowed(rest, stream, readers, allowance);
}

/** Resolves with the text after the last complete line. */
async function readLines(
  text: string,
  stream: 'stdout' | 'stderr',
  readers: OutputReaders,
  allowance: OutputAllowance,
): Promise<string> {
  let from = 0;
  for (let count = 1; ; count += 1) {
    const end = text.indexOf('\n', from);
    if (end < 0) return text.slice(from);
    if (!allowance.hasLine()) {
      const last = text.lastIndexOf('\n') + 1;
      dropped(text.slice(from, last), readers, allowance);
      return text.slice(last);
    }
    readAllowed(text.slice(from, end), stream, readers, allowance);
    from = end + 1;
    if (count % LINES_AT_ONCE === 0) await othersTurn();
  }
}

function readAllowed(
  line: string,
  stream: 'stdout' | 'stderr',
  readers: OutputReaders,
  allowance: OutputAllowance,
): void {
  if (!allowance.hasLine()) {
    dropped(line, readers, allowance);
    return;
  }
  allowance.takeLine(Math.min(line.length, guestLimits.outputLineBytes));
  readLine(line, stream, readers);
}

/** Drops whole lines; only the guest's own events among them, such as signs of life, are read. */
function dropped(text: string, readers: OutputReaders, allowance: OutputAllowance): void {
  let lines = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === 10) lines += 1;
  allowance.drop({ lines: Math.max(lines, 1), bytes: Buffer.byteLength(text) });
  for (const [, json = ''] of text.matchAll(EVENT)) {
    if (!allowance.takeEvent()) return;
    readMarked(json, { ...readers, onLine: () => undefined });
  }
}

function readLine(line: string, stream: 'stdout' | 'stderr', readers: OutputReaders): void {
  // Native code may write without a newline, so the mark can follow other text.
  const mark = stream === 'stdout' ? line.indexOf(MARK) : -1;
  const plain = (mark < 0 ? line : line.slice(0, mark)).replace(/\r$/, '');
  if (plain !== '' || mark < 0) {
    readers.onLine({ at: Date.now(), stream, text: plain.slice(0, guestLimits.outputLineBytes) });
  }
  if (mark < 0) return;
  // A sign of life from one thread may interrupt the line of another thread.
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
  const line: GuestLine = {
    at: Date.now(),
    stream: message.stream === 'stderr' ? 'stderr' : 'stdout',
    text: message.text.slice(0, guestLimits.outputLineBytes),
  };
  if (typeof message.run_id === 'string' && message.run_id !== '') line.runUuid = message.run_id;
  readers.onLine(line);
}
