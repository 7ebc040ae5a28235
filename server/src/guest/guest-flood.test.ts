// Starts a process: what floods a pipe as an agent can is no part of this process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';

import { OUTPUT_LINES_PER_SECOND, OUTPUT_READ_BYTES } from '../model/sandbox-limits.ts';
import { watchOutput } from './guest-child.ts';
import { readOutput } from './guest-output.ts';

it('takes a part of two million newlines, says how many are left out, and gives others their turn', async () => {
  const child = spawn('sh', ['-c', 'head -c 2097152 /dev/zero | tr "\\0" "\\n"']);
  const begun = performance.now();
  const lines: unknown[] = [];
  const warned: { lines: number }[] = [];
  const told = new Promise<void>((resolve) => {
    const process = {
      ...child,
      pid: 1,
      stdout: child.stdout,
      stderr: child.stderr,
      stdin: child.stdin,
    };
    const logger = {
      info: () => undefined,
      warn: (about: { lines: number }) => {
        warned.push(about);
        resolve();
      },
    };
    void watchOutput(
      process as never,
      { language: 'python' } as never,
      {
        logger: logger as never,
        onOutput: (line) => void lines.push(line),
        onDebugger: () => undefined,
        onAlive: () => undefined,
      },
      [],
    );
  });
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const keepsAwake = setInterval(() => undefined, 1_000);
  await once(child.stdout, 'close');
  clearInterval(timer);
  await told;
  clearInterval(keepsAwake);
  const seconds = (performance.now() - begun) / 1_000;
  expect(lines.length).toBeLessThan((10 + seconds + 1) * OUTPUT_LINES_PER_SECOND);
  expect(warned[0]?.lines).toBeGreaterThan(0);
  // At least one for each part that is read at once.
  expect(turns).toBeGreaterThan(2_097_152 / OUTPUT_READ_BYTES);
});

it('lets the writer wait', async () => {
  const source = new PassThrough();
  readOutput(source, 'stdout', { onLine: () => undefined, onEvent: () => undefined });
  source.write('x'.repeat(OUTPUT_READ_BYTES));
  expect(source.isPaused()).toBe(true);
  await once(source, 'resume');
  source.destroy();
});
