import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HttpService, startHttpService } from '../../../test/fixtures/http-service.ts';
import { readSse } from '../../../test/fixtures/read-sse.ts';
import { openTestHistory } from '../../../test/fixtures/test-history.ts';
import type { RunHistory } from '../../history/open-history.ts';
import type { RunUuid, ThreadId } from '../../model/ids.ts';
import { jsonText, toJsonText } from '../../model/json.ts';
import { createStore } from '../../store/open-store.ts';
import type { StorePort } from '../../store/port.ts';

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

let folder: string;
let service: HttpService;
let history: RunHistory;
let store: StorePort & { close(): Promise<void> };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'protocol-'));
  history = openTestHistory({
    database: { provider: 'sqlite', path: join(folder, 'history.db') },
  });
  store = createStore({ provider: 'sqlite', path: join(folder, 'store.db') });
  service = await startHttpService({ history, store, compatCheckpointHistory: 50 });
});
afterAll(async () => {
  await service.close();
  await history.close();
  await store.close();
  await rm(folder, { recursive: true });
});

interface Answer {
  thread_id: ThreadId;
  run_id: RunUuid;
  code: string;
}

async function call<T = Answer>(method: string, path: string, body?: object): Promise<[number, T]> {
  const response = await fetch(`${service.url}/compat/agent-protocol${path}`, {
    method,
    ...(body && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const text = await response.text();
  return [response.status, JSON.parse(text === '' ? '{}' : text) as T];
}
const post = <T = Answer>(path: string, body: object = {}) => call<T>('POST', path, body);
const get = <T = Answer>(path: string) => call<T>('GET', path);

async function madeThread(): Promise<ThreadId> {
  const [status, { thread_id: id }] = await post('/threads');
  expect(status).toBe(200);
  return id;
}

function complete({ thread_id: threadId, run_id: runUuid }: Answer, output: object): void {
  service.engine.saveCheckpoints(threadId, [{ values: toJsonText(output) }]);
  service.engine.endRun(threadId, runUuid, { status: 'completed', output: toJsonText(output) });
}

const conversation = {
  messages: [
    { type: 'human', content: 'Hello', id: 'm1' },
    { type: 'ai', content: ['Good', { type: 'text', text: 'day' }], tool_calls: [] },
  ],
  n: 1,
};
const shownMessages = [
  { role: 'user', content: 'Hello', id: 'm1' },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Good' },
      { type: 'text', text: 'day' },
    ],
  },
];

it('shows agents, found by their names, and their schemas', async () => {
  const echo = { agent_id: 'echo', name: 'echo', description: 'Echoes its input.', metadata: {} };
  const [, all] = await post<object[]>('/agents/search');
  expect(all).toEqual([
    { ...echo, capabilities: { 'ap.io.streaming': true } },
    expect.objectContaining({ agent_id: 'broken' }),
  ]);
  expect((await post<object[]>('/agents/search', { name: 'BROKEN' }))[1]).toHaveLength(1);
  expect((await post<object[]>('/agents/search', { offset: 1 }))[1]).toHaveLength(1);
  expect(await get('/agents/echo')).toEqual([
    200,
    { ...echo, capabilities: { 'ap.io.messages': false, 'ap.io.streaming': true } },
  ]);
  expect((await get('/agents/broken'))[0]).toBe(200);
  expect(await get('/agents/echo/schemas')).toMatchObject([
    200,
    { agent_id: 'echo', input_schema: { title: 'Input' }, output_schema: { title: 'Output' } },
  ]);
  expect((await get('/agents/nobody'))[0]).toBe(404);
  expect((await get('/agents/broken/schemas'))[0]).toBe(422);
});

it('runs an agent without a thread, and finds the run by its uuid alone', async () => {
  const [status, run] = await post('/runs', { agent_id: 'echo', metadata: { from: 'here' } });
  expect([status, run]).toMatchObject([
    200,
    { agent_id: 'echo', status: 'pending', metadata: { from: 'here' } },
  ]);
  expect(run.run_id).toMatch(UUID);
  expect(await get(`/runs/${run.run_id.toUpperCase()}`)).toEqual([200, run]);
  complete(run, conversation);
  expect(await get(`/runs/${run.run_id}/wait`)).toMatchObject([
    200,
    { run: { status: 'success' }, values: { n: 1 }, messages: shownMessages },
  ]);
  expect(await call('DELETE', `/runs/${run.run_id}`)).toEqual([204, {}]);
  expect(await get(`/runs/${run.run_id}`)).toMatchObject([404, { code: 'run_not_found' }]);
});

it('runs an agent on the thread that is named, with messages as a member of the input', async () => {
  const thread_id = await madeThread();
  let input: unknown;
  service.engine.onRun = (_, { start }) => {
    if (start.kind === 'input') input = JSON.parse(start.json);
  };
  const messages = [{ role: 'user', content: 'Hello' }];
  const [, run] = await post('/runs', { thread_id, input: { n: 0 }, messages });
  service.engine.onRun = () => undefined;
  expect(input).toEqual({ n: 0, messages });
  complete(run, conversation);
  expect(await get(`/runs/${run.run_id}`)).toMatchObject([200, { thread_id, status: 'success' }]);
  expect(await get(`/threads/${thread_id}`)).toMatchObject([
    200,
    { status: 'idle', values: { n: 1 }, messages: shownMessages },
  ]);
  const [, states] = await get<object[]>(`/threads/${thread_id}/history`);
  expect(states).toMatchObject([{ values: { n: 1 }, messages: shownMessages, metadata: {} }]);
});

it('makes the thread of a run where that is asked for', async () => {
  const thread_id = '20000000-0000-4000-8000-000000000001';
  expect((await post('/runs', { thread_id }))[0]).toBe(404);
  const [status] = await post('/runs', { thread_id, if_not_exists: 'create' });
  expect([status, (await get(`/threads/${thread_id}`))[0]]).toEqual([200, 200]);
  const [, kept] = await post('/runs', { on_completion: 'keep' });
  complete(kept, { n: 1 });
  const [, found] = await post<Answer[]>('/threads/search', { limit: 1000 });
  const ids = found.map((thread) => thread.thread_id);
  expect([ids.includes(thread_id as ThreadId), ids.includes(kept.thread_id)]).toEqual([true, true]);
  const wrong = [
    { thread_id: 'x', if_not_exists: 'create' },
    { thread_id, on_completion: 'delete' },
    { input: 'a text', messages: [] },
  ];
  for (const body of wrong) {
    expect(await post('/runs', body)).toMatchObject([422, { code: 'invalid_request' }]);
  }
});

it('waits for a run, and reports the error of one that failed', async () => {
  service.engine.onRun = (threadId, { runUuid }) => {
    service.engine.onRun = () => undefined;
    const error = { code: 'agent_error', type: 'ValueError', message: 'No.' };
    service.engine.endRun(threadId, runUuid, { status: 'error', error });
  };
  const [status, { run, ...rest }] = await post<{ run: object }>('/runs/wait', {});
  expect([status, run, rest]).toMatchObject([
    200,
    { status: 'error', error: { error: 'ValueError', message: 'No.' } },
    {},
  ]);
  expect(Object.keys(rest)).toEqual([]);
});

it('takes only messages for messages', async () => {
  const [, run] = await post('/runs', {});
  complete(run, { messages: ['Hello'] });
  const [, waited] = await get<object>(`/runs/${run.run_id}/wait`);
  expect(waited).toMatchObject({ values: { messages: ['Hello'] } });
  expect(waited).not.toHaveProperty('messages');
  const [, other] = await post('/runs', {});
  const blocks = [{ type: 'image', url: 'u', metadata: 1 }, 7, { text: 'x' }];
  complete(other, { messages: [{ role: 'tool', id: 3, content: blocks }, { type: 'ai' }] });
  expect(await get(`/runs/${other.run_id}/wait`)).toMatchObject([
    200,
    {
      values: {},
      messages: [
        {
          role: 'tool',
          content: [
            { type: 'image', url: 'u' },
            { type: 'json', value: 7 },
            { type: 'json', text: 'x' },
          ],
        },
        { role: 'assistant', content: '' },
      ],
    },
  ]);
});

it('streams what a run does, and what is asked for later', async () => {
  service.engine.onRun = (threadId, { runUuid }) => {
    service.engine.onRun = () => undefined;
    service.engine.endRun(threadId, runUuid, { status: 'completed', output: jsonText('{}') });
  };
  const base = `${service.url}/compat/agent-protocol`;
  const first = await readSse(`${base}/runs/stream`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ stream_mode: ['values'] }),
  });
  expect(first.events.map(({ event }) => event)).toEqual(['metadata']);
  const path = first.headers.get('location') ?? '';
  expect(path).toMatch(/^\/runs\/[\da-f-]{36}\/stream$/);
  expect((await readSse(`${base}${path}`)).events).toEqual(first.events);
});

it('cancels a run, and finds runs by thread, agent, status and metadata', async () => {
  const thread_id = await madeThread();
  const [, run] = await post('/runs', { thread_id, metadata: { list: 'a' } });
  const [, other] = await post('/runs', { thread_id, metadata: { list: 'b' } });
  const busy = await call('DELETE', `/runs/${run.run_id}`);
  expect(busy).toMatchObject([422, { code: 'run_active' }]);
  const found = async (question: object): Promise<RunUuid[]> => {
    const [status, rows] = await post<Answer[]>('/runs/search', { thread_id, ...question });
    expect(status).toBe(200);
    return rows.map(({ run_id: id }) => id);
  };
  expect((await found({})).toSorted()).toEqual([run.run_id, other.run_id].toSorted());
  expect(await found({ metadata: { list: 'a' } })).toEqual([run.run_id]);
  expect(await found({ status: 'pending', agent_id: 'echo', limit: 1 })).toHaveLength(1);
  expect(await found({ offset: 1 })).toHaveLength(1);
  for (const none of [{ status: 'timeout' }, { agent_id: 'x' }, { thread_id: '_' }]) {
    expect(await found(none)).toEqual([]);
  }
  expect((await post(`/runs/${other.run_id}/cancel?action=rollback`))[0]).toBe(204);
  expect((await post(`/runs/${run.run_id}/cancel`))[0]).toBe(204);
  service.engine.endRun(thread_id, run.run_id, { status: 'cancelled' });
  expect(await get(`/runs/${run.run_id}`)).toMatchObject([200, { status: 'interrupted' }]);
  expect((await get(`/runs/${other.run_id}`))[0]).toBe(404);
});

it('changes a thread’s values, messages and metadata, also from an earlier state', async () => {
  const thread_id = await madeThread();
  const path = `/threads/${thread_id}`;
  const first = await call('PATCH', path, { values: { n: 1 }, metadata: { a: 1 } });
  expect(first).toMatchObject([200, { metadata: { a: 1 }, values: { n: 1 } }]);
  const messages = [{ role: 'user', content: 'Hello' }];
  const second = await call('PATCH', path, { values: { n: 2 }, messages });
  expect(second).toMatchObject([200, { values: { n: 2 }, messages }]);
  type State = { checkpoint: { checkpoint_id: string }; values: object };
  const [, states] = await get<State[]>(`${path}/history?limit=5`);
  expect(states.map(({ values }) => values)).toEqual([{ n: 2 }, { n: 1 }]);
  const { checkpoint } = states[1] as State; // there are two
  const [, older] = await get<State[]>(
    `${path}/history?before=${states[0]?.checkpoint.checkpoint_id}`,
  );
  expect(older).toEqual([states[1]]);
  const { stateUpdates } = service.engine;
  const update = stateUpdates.update.bind(stateUpdates);
  let from: unknown;
  stateUpdates.update = (change, signal) => {
    from = change.plain?.checkpointId;
    return update(change, signal);
  };
  const branch = await call<object>('PATCH', path, { checkpoint, values: { m: 3 } });
  stateUpdates.update = update;
  expect(branch).toMatchObject([200, { values: { m: 3 } }]);
  expect(from).toBe(checkpoint.checkpoint_id);
  const gone = { checkpoint: { checkpoint_id: 'none' }, values: { n: 1 } };
  expect((await call('PATCH', path, gone))[0]).toBe(404);
  const [, copy] = await post(`${path}/copy`);
  expect(await get(`/threads/${copy.thread_id}`)).toMatchObject([200, { values: { m: 3 } }]);
  expect((await call('DELETE', path))[0]).toBe(204);
  expect(await get(path)).toMatchObject([404, { code: 'thread_not_found' }]);
});

it('has the conflicts that its document has', async () => {
  const thread_id = await madeThread();
  expect(await post('/threads', { thread_id })).toMatchObject([409, { code: 'thread_exists' }]);
  const same = await post('/threads', { thread_id, if_exists: 'do_nothing' });
  expect(same).toMatchObject([200, { thread_id }]);
  for (const body of [{ thread_id: 'x' }, { if_exists: 'x' }]) {
    expect((await post('/threads', body))[0]).toBe(422);
  }
  expect((await post('/threads/search', { values: { n: 1 } }))[0]).toBe(422);
  expect((await get(`/threads/${thread_id}/history?limit=0`))[0]).toBe(422);
});

it('keeps items', async () => {
  const item = { namespace: ['a', 'b'], key: 'k', value: { n: 1 } };
  expect(await call('PUT', '/store/items', item)).toEqual([204, {}]);
  const path = '/store/items?namespace=a&namespace=b&key=';
  expect(await get(`${path}k`)).toMatchObject([200, item]);
  expect(await get(`${path}none`)).toMatchObject([404, { code: 'item_not_found' }]);
  const found = await post('/store/items/search', { namespace_prefix: ['a'], filter: { n: 1 } });
  expect(found).toMatchObject([200, { items: [item] }]);
  expect(await post('/store/namespaces', { prefix: ['a'] })).toEqual([200, [['a', 'b']]]);
  expect((await call('DELETE', '/store/items', item))[0]).toBe(204);
});

it('responds with 501 for streams of threads', async () => {
  const path = '/threads/20000000-0000-4000-8000-000000000002';
  const answers = [
    await post(`${path}/stream`, { channels: ['values'] }),
    await get(`${path}/stream`),
    await post(`${path}/commands`, {}),
  ];
  for (const answer of answers) {
    expect(answer).toMatchObject([501, { code: 'route_not_found' }]);
  }
});
