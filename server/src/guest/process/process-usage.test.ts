import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { expect, it } from 'vitest';

import { processUsage } from './process-usage.ts';

it.runIf(process.platform === 'linux')('reports what a plain process uses', () => {
  const { memoryBytes = 0, cpuSeconds = 0 } = processUsage(process.pid);
  const known = process.memoryUsage.rss();
  expect(memoryBytes).toBeGreaterThan(known / 2);
  expect(memoryBytes).toBeLessThan(known * 2);
  const { user, system } = process.cpuUsage();
  expect(cpuSeconds).toBeGreaterThan((user + system) / 1e6 - 1);
  expect(cpuSeconds).toBeLessThan((user + system) / 1e6 + 1);
});

it('reports nothing of a process that has exited', async () => {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  expect(processUsage(child.pid ?? 0)).toEqual({});
});
