import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../../../test/fixtures/call.ts';
import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import { waitUntil } from '../../../test/fixtures/wait-until.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { ThreadId } from '../../model/ids.ts';
import { jsonText } from '../../model/json.ts';
import type { HistoryEntry } from '../../model/thread/thread.ts';
import { sendStreamedJson } from './streamed-response.ts';

const MIB = 1_024 * 1_024;

/** What the kernel holds of a connection on this machine, both ends, and some to spare. */
const ON_THE_WAY_ENTRIES = 24;

let service: HttpService;
beforeAll(async () => {
  service = await startHttpService();
  await service.engine.threads.create('thread' as ThreadId, {}); // a valid id
});
afterAll(() => service.close());

/** A history of large entries, each made when it is asked for. */
function serveHistory(entries: number, options: { bytes?: number; failAt?: number } = {}) {
  const { bytes = MIB, failAt } = options;
  const seen = { made: 0, hasEnded: false };
  service.engine.states.history = async function* (): AsyncGenerator<HistoryEntry> {
    try {
      for (let at = 0; at < entries; at++) {
        if (at === failAt) throw new ServiceError('state_too_large', 'It is too large.');
        seen.made += 1;
        const json = Buffer.alloc(bytes, 'x');
        json[0] = json[bytes - 1] = 34; // a JSON string
        yield {
          ns: '',
          id: String(at),
          ts: '2026-01-01T00:00:00Z',
          values: { kind: 'members', members: [{ channel: 'text', json }] },
          metadata: jsonText('{}'),
        };
      }
    } finally {
      seen.hasEnded = true;
    }
  };
  return seen;
}

async function open(url: string): Promise<IncomingMessage> {
  const request = get(url, { agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage]; // what node gives with it
  return response;
}

const historyUrl = (): string => `${service.url}/threads/thread/history?limit=1000`;

it('holds a few of 200 entries of 1 MiB, however slowly they are taken', async () => {
  const seen = serveHistory(200);
  const response = await open(historyUrl());
  let received = 0;
  let furthestAhead = 0;
  for await (const chunk of response) {
    received += (chunk as Buffer).byteLength; // no encoding is set
    furthestAhead = Math.max(furthestAhead, seen.made - received / MIB);
  }
  expect([seen.made, Math.floor(received / MIB)]).toEqual([200, 200]);
  expect(furthestAhead).toBeLessThan(ON_THE_WAY_ENTRIES);
}, 120_000);

it('reads nothing more while its client takes nothing, and stops when it disconnects', async () => {
  const seen = serveHistory(1_000);
  const response = await open(historyUrl());
  response.pause();
  let before = -1;
  await waitUntil('the reading pauses', 10_000, () => {
    const isPaused = seen.made === before;
    before = seen.made;
    return isPaused;
  });
  expect(seen.made).toBeLessThan(ON_THE_WAY_ENTRIES);
  expect(seen.hasEnded).toBe(false);
  response.destroy();
  await waitUntil('the reading ends', 10_000, () => seen.hasEnded);
  expect(seen.made).toBeLessThan(ON_THE_WAY_ENTRIES);
});

it('responds with a proper error to what fails before the response has begun', async () => {
  for (const options of [{ failAt: 0 }, { failAt: 3, bytes: 1_000 }]) {
    serveHistory(10, options);
    const response = await call(historyUrl());
    expect([response.status, response.body]).toMatchObject([413, { code: 'state_too_large' }]);
  }
});

it('breaks the connection off when it fails later: half a list never looks whole', async () => {
  const seen = serveHistory(10, { failAt: 5 });
  const response = await fetch(historyUrl());
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow('terminated');
  expect([seen.made, seen.hasEnded]).toEqual([5, true]);
});

it('sends the length of what is small, and responds to HEAD without a body', async () => {
  serveHistory(2, { bytes: 10 });
  const small = await fetch(historyUrl());
  const body = await small.text();
  expect([small.headers.get('content-length'), JSON.parse(body)]).toMatchObject([
    String(body.length),
    [{}, {}],
  ]);
  serveHistory(2);
  const head = await fetch(historyUrl(), { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

it('cuts a client off that takes nothing for too long', async () => {
  let hasEnded = false;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield Buffer.alloc(MIB, 32);
    } finally {
      hasEnded = true;
    }
  }
  const server = createServer((_req, res) => {
    void sendStreamedJson(res, pieces(), { stallLimitMs: 50 });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP listener
  const response = await open(`http://127.0.0.1:${port}/`);
  response.on('error', () => undefined); // cut off, as expected
  response.pause();
  await waitUntil('the reading ends', 10_000, () => hasEnded);
  const closed = new Promise((resolve) => response.once('close', resolve));
  response.resume();
  await closed;
  expect(response.complete).toBe(false);
  server.close();
});
