import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';

import { KeptLines, readJobLines } from './job-output.ts';

async function linesOf(...parts: string[]): Promise<string[]> {
  const source = new PassThrough();
  const lines: string[] = [];
  readJobLines(source, (line) => lines.push(line));
  for (const part of parts) {
    if (!source.write(part)) await once(source, 'drain');
  }
  source.end();
  await once(source, 'close');
  return lines;
}

it('reports lines, however they arrive', async () => {
  expect(await linesOf('on', 'e\r\ntwo\n', '\nthree')).toEqual(['one', 'two', '', 'three']);
});

it('cuts lines, and gathers none that never ends', async () => {
  const part = 'x'.repeat(1024 * 1024);
  const lines = await linesOf(...Array.from({ length: 64 }, () => part), '\nlast');
  expect(lines.map(({ length }) => length)).toEqual([8 * 1024, 4]);
});

it('keeps the first MiB', () => {
  const kept = new KeptLines();
  for (let at = 0; at < 2_000; at += 1) kept.add('x'.repeat(1_023));
  expect(kept.text().length).toBe(1024 * 1024 - 1);
});
