/** `new Client()` of LangGraph's SDK without a URL: requests to the host in the name of the run. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runRequest, startGuest, type GuestProcess } from './guest-process.ts';
import type { ApiExchange } from './memory-api.ts';
import { startMemoryHost, type MemoryHost } from './memory-host.ts';

const agents = ['create', 'read', 'stream', 'first', 'remove', 'late'];
const events = { 'content-type': 'text/event-stream' };
const event = (data: unknown): string => `event: values\ndata: ${JSON.stringify(data)}\n\n`;

let host: MemoryHost;
let guest: GuestProcess;
beforeAll(async () => {
  host = await startMemoryHost();
  const paths = agents.map((name) => [name, `./clients.ts:${name}`]);
  guest = await startGuest(host, Object.fromEntries(paths));
});
afterAll(async () => {
  await guest.kill();
  await host.close();
});

let runs = 0;
/** A run of the agent, with the responder to its requests. */
function run(agentId: string, respond: (exchange: ApiExchange) => unknown, thread = 't') {
  const id = `client-${(runs += 1)}`;
  const request = runRequest(id, id, {
    agentId,
    inputJson: JSON.stringify({ thread }),
    streamModes: ['custom'],
  });
  host.api.set(request.token ?? '', respond);
  return { ...guest.start(request), token: request.token ?? '' };
}

async function found(agentId: string, respond: (exchange: ApiExchange) => unknown) {
  const { end } = await run(agentId, respond).outcome;
  if (end.error) return end.error;
  return (JSON.parse(end.outputJson) as { found: unknown }).found;
}

it('makes a request of the run, and gives the client the response', async () => {
  const seen: unknown[] = [];
  const result = await found('create', ({ method, target, headers, body, ...response }) => {
    seen.push([method, target, headers['content-type'], JSON.parse(body) as object]);
    response.begin(200);
    response.write('{"run_id": ');
    response.write('"r"}');
    response.end();
  });
  expect(result).toEqual({ run_id: 'r' });
  const body = expect.objectContaining({ input: { ü: 1 } }) as object;
  expect(seen).toEqual([['POST', '/threads/t/runs', 'application/json', body]]);
});

it('shows a refusal as an error of the client', async () => {
  const error = await found('create', ({ begin, write, end }) => {
    begin(404);
    write('{"message": "There is no such thread."}');
    end();
  });
  expect(error).toMatchObject({
    type: 'HTTPError',
    message: expect.stringContaining('There is no such thread.') as string,
  });
});

it('takes a response without a body', async () => {
  const result = await found('remove', ({ begin, end }) => {
    begin(204);
    end();
  });
  expect(result).toBe('gone');
});

it('gives events one by one', async () => {
  let goOn = (): void => undefined;
  const { outcome, chunkSeen } = run('stream', async ({ begin, write, end }) => {
    begin(200, events);
    write(event({ n: 1 }));
    await new Promise<void>((resolve) => (goOn = resolve));
    write(event({ n: 2 }));
    end();
  });
  await chunkSeen(({ json }) => json === '{"n":1}');
  goOn();
  const { chunks, end } = await outcome;
  expect(chunks.map(({ json }) => json)).toEqual(['{"n":1}', '{"n":2}']);
  expect(JSON.parse(end.outputJson)).toMatchObject({ found: ['values', 'values'] });
});

it('gives a large response whole', async () => {
  const text = 'x'.repeat(3_000_000);
  const result = await found('read', ({ begin, write, end }) => {
    begin(200);
    write('"');
    for (let at = 0; at < text.length; at += 100_000) write(text.slice(at, at + 100_000));
    write('"');
    end();
  });
  expect(result).toBe(text);
});

it('aborts a request when the agent does', async () => {
  let given: Promise<void> | undefined;
  const result = await found('first', (exchange) => {
    ({ given } = exchange);
    exchange.begin(200, events);
    exchange.write(event({ n: 1 }));
  });
  expect(result).toEqual([{ n: 1 }]);
  await given;
});

it('fails when the host breaks the response off', async () => {
  const details = 'permission_denied: The run of this call has ended.';
  const error = await found('read', ({ begin, write, fail }) => {
    begin(200);
    write('{');
    fail(details);
  });
  expect(error).toMatchObject({ message: details });
});

it('makes each request in the name of the run that makes it, whatever the client does with it', async () => {
  // Three alike at the same time, of which the client sends one after the other.
  const started = ['a', 'b', 'c'].map((whose) =>
    run('read', ({ begin, write, end }) => {
      begin(200);
      write(JSON.stringify({ whose }));
      end();
    }),
  );
  const ends = await Promise.all(started.map(({ outcome }) => outcome));
  expect(ends.map(({ end }) => JSON.parse(end.outputJson) as unknown)).toMatchObject([
    { found: { whose: 'a' } },
    { found: { whose: 'b' } },
    { found: { whose: 'c' } },
  ]);
});

it('is refused once the run has ended', async () => {
  const { outcome } = run('late', ({ begin, write, end }) => {
    begin(200);
    write('{}');
    end();
  });
  expect((await outcome).end.status).toBe('completed');
  const { text } = await guest.logSeen((record) => record.text.includes('client of a run'));
  expect(text).toMatch(/^TypeError: A client without a URL is a client of a run/);
});
