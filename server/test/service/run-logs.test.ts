import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { awaitRun, createRun, send } from '../fixtures/service-client.ts';
import { sharedService } from '../fixtures/shared-service.ts';

interface Logs {
  lines: { id: number; stream: string; text: string; attempt: number }[];
  dropped: number;
}

const url = sharedService();
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-logs-'));
});
afterAll(() => rm(folder, { recursive: true }));

const logsOf = (runId: string): Promise<Logs> => send(url, 'GET', `/runs/${runId}/logs`);

test('runs at the same time in one process have their own lines', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const runs = await Promise.all(
    names.map((name) => {
      // Each continues when all have come so far.
      const meet = [name, ...names].map((one) => join(folder, one));
      return createRun(url, { agent_id: 'printer_py', input: { name, meet } });
    }),
  );
  await Promise.all(runs.map((run) => awaitRun(url, run.run_id)));
  for (const [index, run] of runs.entries()) {
    const { lines, dropped } = await logsOf(run.run_id);
    const own = lines.map(({ stream, text }) => `${stream} ${text}`);
    expect([own, dropped]).toEqual([
      [
        `stdout ${names[index]} printed in a thread`,
        `stderr ${names[index]} logged`,
        `stdout ${names[index]} printed in the loop`,
        `stderr ${names[index]} printed after a pause`,
      ],
      0,
    ]);
  }
});
