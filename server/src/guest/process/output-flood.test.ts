// Starts a process that writes as fast as it can, to test how much of it this one reads before others have their turn.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { expect, it } from 'vitest';

import type { RunId } from '../../model/ids.ts';
import { watchOutput } from './guest-child.ts';
import { guestLimits } from '../limits.ts';
import { OutputLog } from './output-log.ts';

it.each([
  ['newlines', `'\\n'.repeat(64 * 1024)`],
  ['lines of a run', `'\\x1e{"run_id":"r","stream":"stdout","text":""}\\n'.repeat(1_500)`],
])(
  'a guest that writes 2 MiB of %s holds nothing up, and the run has what is kept',
  async (_, part) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'flood-'));
    const file = createWriteStream(path.join(folder, 'log'));
    const logger = pino(file);
    const output = new OutputLog();
    const runId = 'r' as RunId; // any text is one here
    let [lines, dropped, alive] = [0, 0, 0];
    const script = `
    const part = Buffer.from(${part});
    for (let left = 2 * 1024 * 1024; left > 0; left -= part.length) require('fs').writeSync(1, part);
    require('fs').writeSync(1, '\\x1e{"event":"alive"}\\n');`;
    const child = spawn(process.execPath, ['-e', script], { stdio: 'pipe' });
    const { stdin, stdout, stderr, pid = 0 } = child;
    // What one turn of the event loop has read, and the most that one has.
    let turn = { lines: 0, droppedBytes: 0 };
    const most = { ...turn };
    const countTurn = (): void => {
      most.lines = Math.max(most.lines, turn.lines);
      most.droppedBytes = Math.max(most.droppedBytes, turn.droppedBytes);
      turn = { lines: 0, droppedBytes: 0 };
      next = setImmediate(countTurn);
    };
    let next = setImmediate(countTurn);
    const begun = performance.now();
    const { isRead } = watchOutput(
      { pid, stdin, stdout, stderr },
      { language: 'python' },
      {
        logger,
        onOutput(line) {
          lines += 1;
          turn.lines += 1;
          output.append({ ...line, runId });
        },
        onDebugger: () => undefined,
        onAlive: () => (alive += 1),
        onDropped(some) {
          dropped += some.lines;
          turn.droppedBytes += some.bytes;
        },
      },
      [],
    );
    await isRead;
    const took = performance.now() - begun;
    clearImmediate(next);
    output.close();
    file.end();
    await once(file, 'close');
    rmSync(folder, { recursive: true });

    const { outputBurstLines, outputLinesPerSecond, outputRunLines } = guestLimits;
    expect(alive).toBe(1); // behind all of it
    expect(dropped).toBeGreaterThan(20_000);
    expect(lines).toBeGreaterThanOrEqual(outputBurstLines);
    expect(lines).toBeLessThanOrEqual(outputBurstLines + (took / 1_000 + 1) * outputLinesPerSecond);
    expect(output.read(runId)).toHaveLength(outputRunLines);
    // Before, one turn had all of it. A part of the pipe has 64 KiB.
    expect(most.lines).toBeLessThan(1_000);
    expect(most.droppedBytes).toBeLessThan(256 * 1024);
  },
);
