import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import type { RunUuid, ThreadId } from '../../model/ids.ts';
import { readingClient } from '../../observability/reading-client.ts';

let service: HttpService;
let authenticated: () => Promise<void> | undefined;
beforeAll(async () => {
  service = await startHttpService({
    authenticator: {
      async authenticate() {
        await authenticated();
        return { sub: 'ada', mroles: [], claims: {} };
      },
    },
  });
  await service.engine.threads.create('t' as ThreadId, {}); // a valid id
});
beforeEach(() => (authenticated = () => undefined));
afterAll(() => service.close());

/** The engine is asked and does not respond before its client leaves; resolves when it is asked, with its signal. */
function askedOfEngine(): Promise<AbortSignal | undefined> {
  return new Promise((resolve) => {
    const ask = async (): Promise<never> => {
      const client = readingClient();
      resolve(client);
      if (client) await once(client, 'abort');
      throw new Error('no client waits for it');
    };
    const { threads, states } = service.engine;
    threads.search = ask;
    states.head = ask;
    states.checkpoint = ask;
    states.history = async function* history() {
      yield await ask();
    };
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

/** A run that continues, and a request about it whose client leaves during its authentication. */
async function leaveEarly(route: string, id: string): Promise<RunUuid> {
  const begun = new Promise<RunUuid>((resolve) => {
    service.engine.onRun = (_id, { runUuid }) => resolve(runUuid);
  });
  const created = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };
  await fetch(`${service.url}/threads/${id}/runs`, created);
  const runUuid = await begun;
  let letIn = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    authenticated = () => {
      resolve();
      return new Promise((wake) => (letIn = wake));
    };
  });
  const headers = { 'X-Request-Id': id };
  const path = route.replace('{run}', `/threads/${id}/runs/${runUuid}`);
  const client = request(service.url + path, { agent: false, headers });
  client.on('error', () => undefined); // it leaves
  client.end();
  await asked;
  client.destroy();
  // The access line: by then the service knows that its client has left.
  await expect
    .poll(() => service.logged)
    .toContainEqual(expect.objectContaining({ request_id: id, aborted: true }));
  letIn();
  return runUuid;
}

it('cancels the run of a client that left before its request began', async () => {
  const id = 'cancelled' as ThreadId;
  await service.engine.threads.create(id, {});
  const runUuid = await leaveEarly('/compat/langgraph{run}/join?cancel_on_disconnect=true', id);
  await expect
    .poll(async () => (await service.engine.runs.read(id, runUuid)).status)
    .toBe('cancelling');
});

it('streams nothing to a client that left before its request began', async () => {
  const id = 'streamed' as ThreadId;
  await service.engine.threads.create(id, {});
  const { read } = service.streams;
  const reading = new Promise<AbortSignal>((resolve) => {
    service.streams.read = (runId, after, signal) => {
      resolve(signal);
      return read(runId, after, signal);
    };
  });
  await leaveEarly('{run}/stream', id);
  const { aborted } = await reading;
  expect(aborted).toBe(true);
});
