import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';

import { readOutput, type OutputLine } from './guest-output.ts';
import { guestLimits } from './limits.ts';

async function read(...pieces: string[]): Promise<{ lines: object[]; events: string[] }> {
  const source = new PassThrough();
  const lines: object[] = [];
  const events: string[] = [];
  readOutput(source, 'stdout', {
    onLine: ({ at: _at, ...line }: OutputLine) => lines.push(line),
    onEvent: (name) => events.push(name),
  });
  const ended = new Promise((resolve) => source.once('end', resolve));
  for (const piece of pieces) source.write(piece);
  source.end();
  await ended;
  return { lines, events };
}

describe('readOutput', () => {
  it('tells the lines of runs, raw lines and events apart, however they arrive', async () => {
    const { lines, events } = await read(
      '\x1e{"event":"re',
      'ady"}\nraw\n\x1e{"run_id":"r","stream":"stderr","text":"oops"}\nla',
      'st',
    );
    expect(events).toEqual(['ready']);
    expect(lines).toEqual([
      { stream: 'stdout', text: 'raw' },
      { stream: 'stderr', text: 'oops', runUuid: 'r' },
      { stream: 'stdout', text: 'last' },
    ]);
  });

  it('finds a marked line behind text without a newline', async () => {
    const { lines } = await read('50%\x1e{"run_id":"r","stream":"stdout","text":"done"}\n');
    expect(lines).toEqual([
      { stream: 'stdout', text: '50%' },
      { stream: 'stdout', text: 'done', runUuid: 'r' },
    ]);
  });

  it('finds an event that another thread wrote into the middle of a marked line', async () => {
    const { events } = await read('\x1e{"run_id":"r","te\x1e{"event":"alive"}\nxt":"done"}\n');
    expect(events).toEqual(['alive']);
  });

  it.each(['', '\x1e'])('cuts long lines', async (mark) => {
    const { lines } = await read(`${mark}${'x'.repeat(100_000)}\n`);
    expect(lines).toEqual([{ stream: 'stdout', text: 'x'.repeat(guestLimits.outputLineBytes) }]);
  });

  it('keeps no more than a part of a line that never ends', async () => {
    const source = new PassThrough();
    const texts: string[] = [];
    readOutput(source, 'stdout', {
      onLine: ({ text }) => texts.push(text),
      onEvent: () => undefined,
    });
    const part = 'x'.repeat(64 * 1024);
    for (let written = 0; written < 100_000_000; written += part.length) {
      if (!source.write(part)) await once(source, 'drain');
    }
    // Without a line's end, and before that of the stream.
    const bytes = 16 * guestLimits.outputLineBytes + part.length;
    expect(texts.length).toBeGreaterThanOrEqual(Math.floor(100_000_000 / bytes));
    expect(new Set(texts.map(({ length }) => length))).toEqual(
      new Set([guestLimits.outputLineBytes]),
    );
  });
});
