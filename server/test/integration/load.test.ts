/** What many clients do at once: no error, and no growth. */
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import { awaitRun, createRun, createThread, send } from '../fixtures/service-client.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';

const LIMIT_MS = 1_200_000;
const ledger = '/dev/null';

let service: ServiceProcess;
beforeAll(async () => {
  service = await startDurableService();
  await whenHealthy(service.url);
});
afterAll(() => service.stop());

/** Resident memory of the server's process in MB. */
function residentMegabytes(): number {
  const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', String(service.pid)]);
  return Number(kilobytes.toString()) / 1_024;
}

/** What the service has warned of lately: why it refused something. */
function warnings(): string {
  const lines = service.output().split('\n');
  return lines
    .filter((line) => / (WARN|ERROR) /.test(line))
    .slice(-50)
    .join('\n');
}

describe('200 threads with 5 runs each and reads in between', () => {
  const THREADS = 200;
  const RUNS = 5;
  const AT_ONCE = 24;
  const WARM_ROUNDS = 2;
  const MOST_GROWTH = 0.2;
  /** What is left behind is left behind in each of them; what the system took for a moment is not. */
  const MOST_ROUNDS = 3;
  const IDLE_MS = 8_000;

  const reads = (threadId: string) =>
    [
      ['GET', `/threads/${threadId}`],
      ['GET', `/threads/${threadId}/state`],
      ['GET', `/threads/${threadId}/history`],
      ['GET', `/threads/${threadId}/runs`],
      ['POST', '/threads/search', { status: 'idle', limit: 10 }] as const,
    ] as const;

  async function oneThread(): Promise<void> {
    const threadId = await createThread(service.url);
    for (const [index, [method, path, body]] of reads(threadId).entries()) {
      const label = `run ${index}`;
      const asked = { agent_id: 'append_ts', input: { ledger, label } };
      const run = createRun(service.url, asked, threadId);
      const [{ run_id: id }] = await Promise.all([run, send(service.url, method, path, body)]);
      expect(await awaitRun(service.url, id)).toMatchObject({ status: 'completed' });
      await send(service.url, method, path, body);
    }
    const path = `/threads/${threadId}`;
    const state = await send(service.url, 'GET', `${path}/state`);
    expect(state).toMatchObject({ values: { done: { length: RUNS } } });
    expect(await send(service.url, 'GET', `${path}/runs`)).toHaveLength(RUNS);
    await send(service.url, 'DELETE', path);
  }

  /** Answers the resident memory after it, when the service has been idle for a while. */
  async function oneRound(): Promise<number> {
    let left = THREADS;
    const worker = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await oneThread();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    await pause(IDLE_MS);
    return residentMegabytes();
  }

  it(
    'have no error, and once the service is warm another round leaves no more memory in use',
    async ({ onTestFailed }) => {
      onTestFailed(() => void process.stdout.write(`The service warned:\n${warnings()}\n`));
      // A fresh process has compiled little, opened no connection to the engine and filled no cache: what it holds
      // then says nothing. It also keeps 400 threads in memory, deleted ones too, which are those of two rounds. So the
      // same load runs until then, with threads of its own that are deleted, and the memory after one more round is
      // compared with that before it, both after the same time without any request. What a run or a thread leaves
      // behind shows in it; what a server holds once does not.
      for (let round = 0; round < WARM_ROUNDS; round += 1) await oneRound();
      const warm = await oneRound();
      let before = warm;
      let growth = Number.POSITIVE_INFINITY;
      let played = 0;
      for (; played < MOST_ROUNDS && growth >= MOST_GROWTH; played += 1) {
        const after = await oneRound();
        growth = Math.min(growth, (after - before) / warm);
        before = after;
      }
      expect(growth).toBeLessThan(MOST_GROWTH);
      expect((before - warm) / warm / played).toBeLessThan(MOST_GROWTH);
    },
    LIMIT_MS,
  );
});
