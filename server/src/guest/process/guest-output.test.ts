import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';

import { readOutput, type GuestLine } from './guest-output.ts';
import { OutputAllowance, type DroppedOutput } from './output-allowance.ts';
import { guestLimits } from '../limits.ts';

async function read(...pieces: string[]): Promise<{ lines: object[]; events: string[] }> {
  const source = new PassThrough();
  const lines: object[] = [];
  const events: string[] = [];
  const readers = {
    onLine: ({ at: _at, ...line }: GuestLine) => lines.push(line),
    onEvent: (name: string) => events.push(name),
  };
  const ended = readOutput(source, 'stdout', readers, new OutputAllowance(() => undefined));
  for (const piece of pieces) source.write(piece);
  source.end();
  await ended;
  return { lines, events };
}

/** For what is not about the allowance. */
function withoutEnd(): OutputAllowance {
  const rate = Number.MAX_SAFE_INTEGER;
  return new OutputAllowance(() => undefined, {
    ...{ outputLinesPerSecond: rate, outputBurstLines: rate },
    ...{ outputTextPerSecond: rate, outputReadPerSecond: rate },
  });
}

describe('beyond the allowance', () => {
  const rates = {
    ...{ outputLinesPerSecond: 0.001, outputBurstLines: 3 },
    ...{ outputTextPerSecond: 1_000, outputReadPerSecond: 1_000_000 },
  };

  it('lines are dropped and counted, and signs of life are not', async () => {
    const source = new PassThrough();
    const dropped: DroppedOutput[] = [];
    const seen: string[] = [];
    const readers = {
      onLine: ({ text }: GuestLine) => seen.push(text),
      onEvent: (name: string) => seen.push(name),
    };
    const allowance = new OutputAllowance((some) => dropped.push(some), rates);
    const ended = readOutput(source, 'stdout', readers, allowance);
    const marked = '\x1e{"run_id":"r","stream":"stdout","text":"no"}\n';
    source.end(`1\n2\n3\n4\n${marked}5\x1e{"event":"alive"}\n6\n`);
    await ended;
    expect(seen).toEqual(['1', '2', '3', 'alive']);
    expect(dropped).toEqual([{ lines: 4, bytes: 2 + marked.length + 20 + 2 }]);
  });

  it('is not read for a while', async () => {
    const source = new PassThrough();
    const allowance = new OutputAllowance(() => undefined, {
      ...rates,
      outputReadPerSecond: 100_000,
    });
    const readers = { onLine: () => undefined, onEvent: () => undefined };
    const begun = performance.now();
    const ended = readOutput(source, 'stdout', readers, allowance);
    source.end('x'.repeat(120_000));
    await ended;
    expect(performance.now() - begun).toBeGreaterThan(150);
  });
});

describe('readOutput', () => {
  it('distinguishes lines of runs, raw lines and events, however they arrive', async () => {
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
    const readers = {
      onLine: ({ text }: GuestLine) => texts.push(text),
      onEvent: () => undefined,
    };
    const ended = readOutput(source, 'stdout', readers, withoutEnd());
    const part = 'x'.repeat(64 * 1024);
    for (let written = 0; written < 100_000_000; written += part.length) {
      if (!source.write(part)) await once(source, 'drain');
    }
    source.end();
    await ended;
    // Without a line's end, and before that of the stream.
    const bytes = 16 * guestLimits.outputLineBytes + part.length;
    expect(texts.length).toBeGreaterThanOrEqual(Math.floor(100_000_000 / bytes));
    expect(new Set(texts.map(({ length }) => length))).toEqual(
      new Set([guestLimits.outputLineBytes]),
    );
  });
});
