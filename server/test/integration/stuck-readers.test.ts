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
  const MOST_SLOWER = 3;
  /** One of them comes at a moment when the machine has nothing else to do. */
  const MOST_TIMES = 3;
  /** Every `values` has the label in it: far more than the kernel and the log of the run hold for a reader. */
  const bulk = { ledger, label: 'b'.repeat(500_000), total: 80, pause_ms: 30 };

  /** Runs it to its end; answers how long that took and the most memory that was in use meanwhile. */
  async function measured(run: RunAnswer): Promise<{ ms: number; megabytes: number }> {
    const begin = performance.now();
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
    return { ms: performance.now() - begin, megabytes };
  }

  const start = (): Promise<RunAnswer> =>
    createRun(service.url, {
      agent_id: 'steps_ts',
      input: bulk,
      config: { recursion_limit: bulk.total + 10 },
    });

  it(
    'do not slow the run, and the server does not keep for them what they do not take',
    async () => {
      const alone = await measured(await start());
      let slower = Number.POSITIVE_INFINITY;
      for (let time = 0; time < MOST_TIMES && slower >= MOST_SLOWER; time += 1) {
        const beside = await besideStuckReaders();
        slower = Math.min(slower, beside.ms / alone.ms);
        // Unbounded, these readers would have the server hold all of the events, each for itself.
        const unbounded = (STUCK * bulk.total * bulk.label.length) / 1e6;
        expect(beside.megabytes - alone.megabytes).toBeLessThan(unbounded / 3);
        // What went by while it did not read is not kept for it, and said to be gone.
        expect(beside.late).toContain('\n: gap\n');
        expect(beside.late).toMatch(/event: done\n/);
      }
      expect(slower).toBeLessThan(MOST_SLOWER);
    },
    LIMIT_MS,
  );

  /** The measures of another run, and what one of its readers gets that begins to read when it has ended. */
  async function besideStuckReaders(): Promise<{ ms: number; megabytes: number; late: string }> {
    const run = await start();
    const sockets = await Promise.all(
      Array.from({ length: STUCK }, () => neverReading(run.run_id)),
    );
    try {
      const measures = await measured(run);
      const [late] = sockets;
      return { ...measures, late: late ? await everything(late) : '' };
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  }

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
