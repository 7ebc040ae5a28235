import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHttpService, type HttpService } from '../../test/fixtures/http-service.ts';
import type { ThreadId } from '../model/ids.ts';
import { readingClient } from '../observability/reading-client.ts';

let service: HttpService;
beforeAll(async () => {
  service = await startHttpService();
  await service.engine.createThread('t' as ThreadId, {}); // a valid id
});
afterAll(() => service.close());

/** The engine is asked and does not answer before its client leaves; resolves when it is asked, with what tells it so. */
function askedOfEngine(): Promise<AbortSignal | undefined> {
  return new Promise((resolve) => {
    const ask = async (): Promise<never> => {
      const client = readingClient();
      resolve(client);
      if (client) await once(client, 'abort');
      throw new Error('nobody waits for it');
    };
    Object.assign(service.engine, {
      readState: ask,
      readCheckpoint: ask,
      searchThreads: ask,
      async *readHistory() {
        yield await ask();
      },
    });
  });
}

it.each([
  ['GET', '/threads/t/state'],
  ['GET', '/threads/t/history'],
  ['POST', '/threads/t/history'],
  ['POST', '/threads/t/state/checkpoint'],
  ['POST', '/threads/search'],
  ['POST', '/compat/langgraph/threads/search'],
  ['POST', '/compat/langgraph/threads/count'],
])('ends what is read for a client that leaves: %s %s', async (method, path) => {
  const asked = askedOfEngine();
  const headers = { 'Content-Type': 'application/json' };
  const client = request(`${service.url}${path}`, { agent: false, method, headers });
  client.on('error', () => undefined); // it leaves
  client.end(method === 'POST' ? '{}' : undefined);
  const signal = await asked;
  const hasEnded = signal && once(signal, 'abort');
  client.destroy();
  expect(signal).toBeDefined();
  await hasEnded;
});
