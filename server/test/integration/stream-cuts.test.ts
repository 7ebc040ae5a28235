/** A reader whose socket is cut again and again, by a client that is not ours: the `eventsource` package. */
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventSource } from 'eventsource';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../fixtures/call.ts';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import { readSse } from '../fixtures/read-sse.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';

const CUTS = 200;
const STEPS = 300;
const LIMIT_MS = 180_000;
/** More than an event and less than two: cuts fall into heads, bodies and between events. */
const LONGEST_PIECE_BYTES = 1_800;
const eventNames = ['start', 'values', 'updates', 'messages', 'custom', 'done'] as const;

let service: ServiceProcess;
beforeAll(async () => {
  service = await startDurableService();
  await whenHealthy(service.url);
});
afterAll(() => service.stop());

it(
  `a reader that is cut off at ${CUTS} random bytes misses nothing and gets nothing twice`,
  async () => {
    const run = await call(`${service.url}/runs`, 'POST', {
      agent_id: 'steps_ts',
      input: { ledger: '/dev/null', total: STEPS, pause_ms: 2 },
      config: { recursion_limit: STEPS + 10 },
    });
    const { run_id: runId } = run.body as { run_id: string }; // as the contract says
    const path = `/runs/${runId}/stream`;
    const cutter = await startCutter(service.url);
    try {
      const seen = await follow(`${cutter.url}${path}`);
      const { events } = await readSse(`${service.url}${path}`);
      expect(cutter.cuts()).toBe(CUTS);
      expect(seen).toEqual(events.map(({ id, event }) => `${id} ${event}`));
      expect(events.length).toBeGreaterThan(2 * STEPS);
    } finally {
      await cutter.close();
    }
  },
  LIMIT_MS,
);

/** Every event that the client gets, until the last one. */
async function follow(url: string): Promise<string[]> {
  const source = new EventSource(url);
  const seen: string[] = [];
  try {
    await new Promise<void>((resolve) => {
      for (const name of eventNames) {
        source.addEventListener(name, ({ lastEventId }) => {
          seen.push(`${lastEventId} ${name}`);
          if (name === 'done') resolve();
        });
      }
    });
  } finally {
    source.close();
  }
  return seen;
}

/** Passes answers on and destroys both sockets at a random byte, until it has done so often enough. */
async function startCutter(target: string) {
  let cuts = 0;
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, host: new URL(target).host };
    const onward = get(new URL(incoming.url ?? '/', target), { headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      // The client would wait for seconds before it comes back.
      outgoing.write('retry: 1\n\n');
      let left = cuts < CUTS ? 1 + Math.floor(Math.random() * LONGEST_PIECE_BYTES) : Infinity;
      answer.on('data', (bytes: Buffer) => {
        if (left === 0) return;
        outgoing.write(bytes.subarray(0, left));
        left = Math.max(0, left - bytes.length);
        if (left > 0) return;
        cuts += 1;
        // Not before what is written has left: the cut is meant for that byte.
        outgoing.write('', () => outgoing.destroy());
      });
      answer.on('end', () => outgoing.end());
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    cuts: () => cuts,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
