/** Readers of a run that take nothing of it. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import { awaitRun, createRun, type RunAnswer } from '../fixtures/service-client.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';

const LIMIT_MS = 240_000;
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

describe('readers that never read', () => {
  const STUCK = 16;
  /** Every `values` has the label in it: far more than the kernel and the log of the run hold for a reader. */
  const bulk = { ledger, label: 'b'.repeat(500_000), total: 80, pause_ms: 30 };

  /** Runs it to its end; answers the most memory in MB that was in use meanwhile. */
  async function mostMemory(run: RunAnswer): Promise<number> {
    let megabytes = residentMegabytes();
    const watch = setInterval(() => {
      megabytes = Math.max(megabytes, residentMegabytes());
    }, 500);
    try {
      const final = await awaitRun(service.url, run.run_id, LIMIT_MS);
      if (final.status !== 'completed') throw new Error(JSON.stringify(final));
    } finally {
      clearInterval(watch);
    }
    return megabytes;
  }

  const start = (): Promise<RunAnswer> =>
    createRun(service.url, {
      agent_id: 'steps_ts',
      input: bulk,
      config: { recursion_limit: bulk.total + 10 },
    });

  it(
    'do not hold the run up, and the server does not keep for them what they do not take',
    async () => {
      const alone = await mostMemory(await start());
      const run = await start();
      const sockets = await Promise.all(
        Array.from({ length: STUCK }, () => neverReading(run.run_id)),
      );
      try {
        // A run that waited for them would not end.
        const beside = await mostMemory(run);
        // Unbounded, these readers would have the server hold all of the events, each for itself.
        const unbounded = (STUCK * bulk.total * bulk.label.length) / 1e6;
        expect(beside - alone).toBeLessThan(unbounded / 3);

        const [late] = sockets;
        const text = late ? await everything(late) : '';
        // What went by while it did not read is not kept for it, and said to be gone.
        expect(text).toContain('\n: gap\n');
        expect(text).toMatch(/event: done\n/);
      } finally {
        for (const socket of sockets) socket.destroy();
      }
    },
    LIMIT_MS,
  );

  /** Asks for the run's events and takes none of the answer. */
  async function neverReading(runId: string): Promise<Socket> {
    const { hostname, port, host } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.pause();
    await once(socket, 'connect');
    const head = `GET /runs/${runId}/stream HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    socket.write(head);
    return socket;
  }

  /** What is left for it when it begins to read after all. */
  async function everything(socket: Socket): Promise<string> {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.resume();
    await once(socket, 'end', { signal: AbortSignal.timeout(60_000) });
    return Buffer.concat(chunks).toString();
  }
});
