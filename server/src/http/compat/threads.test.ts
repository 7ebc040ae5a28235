import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HttpService, startHttpService } from '../../../test/fixtures/http-service.ts';
import type { RunUuid, ThreadId } from '../../model/ids.ts';
import { jsonText } from '../../model/json.ts';

let service: HttpService;
beforeAll(async () => {
  service = await startHttpService({ compatCheckpointHistory: 50 });
});
afterAll(() => service.close());

/** What of the responses is looked at. */
interface Answer {
  thread_id: string;
  run_id: string;
  status: string;
  message: string;
  error: unknown;
  updated_at: string;
  state_updated_at: string;
}

/** LangGraph's schema of that name. */
interface ThreadStorage {
  total_bytes: number;
  checkpoints: { count: number; bytes: number };
  channel_values: { bytes: number; by_channel: object };
}

async function call<T = Answer>(method: string, path: string, body?: object): Promise<[number, T]> {
  const response = await fetch(`${service.url}/compat/langgraph${path}`, {
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
const get = async <T = Answer>(path: string) => (await call<T>('GET', path))[1];

async function madeThread(threadId: string): Promise<ThreadId> {
  expect((await post('/threads', { thread_id: threadId }))[0]).toBe(200);
  return threadId as ThreadId; // now it is one
}

async function begunRun(threadId: ThreadId): Promise<RunUuid> {
  const [, run] = await post(`/threads/${threadId}/runs`, { assistant_id: 'echo', input: {} });
  return run.run_id as RunUuid; // the service made it
}

function save(threadId: ThreadId, ...ns: number[]): void {
  service.engine.saveCheckpoints(
    threadId,
    ns.map((n) => ({ values: jsonText(`{"n":${n}}`) })),
  );
}

const historyOf = async (threadId: string): Promise<number[]> => {
  const response = await fetch(`${service.url}/threads/${threadId}/history`);
  const states = (await response.json()) as { values: { n: number } }[];
  return states.map(({ values }) => values.n);
};

it('retains 50 checkpoints of a run, and copies them', async () => {
  const threadId = await madeThread('kept');
  const runUuid = await begunRun(threadId);
  save(threadId, ...Array.from({ length: 60 }, (_, at) => at));
  service.engine.endRun(threadId, runUuid, { status: 'completed', output: jsonText('{}') });
  const history = await historyOf(threadId);
  expect([history.length, history[0], history.at(-1)]).toEqual([50, 59, 10]);
  const [, copy] = await post(`/threads/${threadId}/copy`);
  expect(await historyOf(copy.thread_id)).toEqual(history);
  const native = await fetch(`${service.url}/threads/${threadId}/copy`, { method: 'POST' });
  const { thread_id: nativeId } = (await native.json()) as { thread_id: string };
  expect(await historyOf(nativeId)).toEqual([59]);
});

it('has metadata as they were given, and as texts in our own API', async () => {
  const given = { flag: true, list: [1], none: null, text: '1', count: 1 };
  const [, made] = await post<{ metadata: object }>('/threads', {
    thread_id: 'typed',
    metadata: given,
  });
  expect(made.metadata).toEqual(given);
  const changed = { ...given, flag: 'yes', text: 2 };
  await call('PATCH', '/threads/typed', { metadata: { flag: 'yes', text: 2 } });
  expect(await get('/threads/typed')).toMatchObject({ metadata: changed });
  const [, rows] = await post<object[]>('/threads/search', { metadata: { text: 2 } });
  expect(rows).toMatchObject([{ thread_id: 'typed', metadata: changed }]);
  const [, copy] = await post<object>('/threads/typed/copy');
  expect(copy).toMatchObject({ metadata: changed });
  const texts = { flag: 'yes', list: '[1]', none: 'null', text: '2', count: '1' };
  const native = await fetch(`${service.url}/threads/typed`);
  expect(((await native.json()) as { metadata: object }).metadata).toEqual(texts);
  const patch = { method: 'PATCH', headers: { 'Content-Type': 'application/json' } };
  const body = JSON.stringify({ metadata: { count: 2 } });
  await fetch(`${service.url}/threads/typed`, { ...patch, body });
  expect(await get('/threads/typed')).toMatchObject({ metadata: { ...changed, count: '2' } });
});

it('shows the error of the last run, and when the state changed', async () => {
  const threadId = await madeThread('failed');
  const fresh = await get(`/threads/${threadId}`);
  expect([fresh.error, fresh.state_updated_at]).toEqual([null, fresh.updated_at]);
  const runUuid = await begunRun(threadId);
  save(threadId, 1);
  const error = { code: 'agent_error', type: 'ValueError', message: 'No.' };
  service.engine.endRun(threadId, runUuid, { status: 'error', error });
  expect(await get(`/threads/${threadId}`)).toMatchObject({
    status: 'error',
    error: { error: 'ValueError', message: 'No.' },
    state_updated_at: '2026-01-01T00:00:00.000Z',
  });
});

it('shows what a run was asked for, but for its input', async () => {
  const threadId = await madeThread('asked');
  const config = { recursion_limit: 9, tags: ['t'] };
  const [, made] = await post(`/threads/${threadId}/runs`, {
    ...{ assistant_id: 'echo', input: { secret: 1 }, config, context: { model: 'm' } },
    ...{ multitask_strategy: 'interrupt', stream_mode: 'updates', interrupt_before: ['n'] },
    ...{ metadata: { from: 'here' } },
  });
  expect(made).toMatchObject({ thread_id: threadId });
  const run = await get(`/threads/${threadId}/runs/${made.run_id}`);
  expect(run).toMatchObject({
    multitask_strategy: 'interrupt',
    kwargs: {
      config: {
        ...config,
        configurable: { run_id: made.run_id, thread_id: threadId, graph_id: 'echo' },
        metadata: { from: 'here' },
      },
      context: { model: 'm' },
      stream_mode: ['updates'],
      interrupt_before: ['n'],
      interrupt_after: null,
    },
  });
  expect(JSON.stringify(run)).not.toContain('secret');
  const [, plain] = await post(`/threads/${threadId}/runs`, { assistant_id: 'echo' });
  expect(plain).toMatchObject({
    multitask_strategy: 'enqueue',
    kwargs: { stream_mode: ['values'] },
  });
});

it('removes what a run did that is cancelled with a rollback', async () => {
  const threadId = await madeThread('rolled_back');
  const first = await begunRun(threadId);
  save(threadId, 1);
  service.engine.endRun(threadId, first, { status: 'completed', output: jsonText('{"n":1}') });
  const second = await begunRun(threadId);
  save(threadId, 2, 3);
  const waiting = await begunRun(threadId);
  const rolledBack = (runUuid: RunUuid) =>
    post(`/threads/${threadId}/runs/${runUuid}/cancel?action=rollback`);
  expect((await rolledBack(waiting))[0]).toBe(204);
  const { cancel } = service.engine.runs;
  service.engine.runs.cancel = async (...asked) => {
    const cancelled = await cancel.apply(service.engine.runs, asked);
    service.engine.endRun(threadId, second, { status: 'cancelled' });
    return cancelled;
  };
  expect((await rolledBack(second))[0]).toBe(204);
  service.engine.runs.cancel = cancel;
  expect(await historyOf(threadId)).toEqual([1]);
  const runs = await get<Answer[]>(`/threads/${threadId}/runs`);
  expect(runs.map(({ run_id: id }) => id)).toEqual([first]);
  expect((await get(`/threads/${threadId}`)).status).toBe('idle');
  // One that has ended is removed as by a DELETE: the state stays.
  expect((await rolledBack(first))[0]).toBe(204);
  expect(await historyOf(threadId)).toEqual([1]);
});

it('makes a thread with the states of its supersteps, once', async () => {
  const steps = [1, 2, 3].map((n) => ({ updates: [{ values: { n }, as_node: 'echo' }] }));
  const body = { thread_id: 'stepped', supersteps: steps, if_exists: 'do_nothing' };
  expect((await post('/threads', body))[0]).toBe(200);
  expect((await post('/threads', body))[0]).toBe(200);
  expect(await historyOf('stepped')).toEqual([3, 2, 1]);
  const command = { updates: [{ command: { goto: 'echo' } }] };
  expect((await post('/threads', { supersteps: [command] }))[0]).toBe(422);
});

it('refuses to change the state while a run waits for its time', async () => {
  const threadId = await madeThread('delayed');
  const body = { assistant_id: 'echo', input: {}, after_seconds: 60 };
  const [, run] = await post(`/threads/${threadId}/runs`, body);
  const change = () => post(`/threads/${threadId}/state`, { values: { n: 1 } });
  expect((await change())[0]).toBe(409);
  await post(`/threads/${threadId}/runs/${run.run_id}/cancel`);
  expect((await change())[0]).toBe(200);
});

it('says for which assistant there is none', async () => {
  const threadId = await madeThread('without');
  const [status, { message }] = await post(`/threads/${threadId}/runs`, { assistant_id: 'nobody' });
  expect(status).toBe(404);
  expect(message).toMatch(/^No assistant found for "nobody"/);
});

it('sorts by everything that the server sorts by', async () => {
  for (const name of ['c', 'a', 'b']) {
    await post('/threads', { thread_id: `sorted_${name}`, metadata: { list: 'sorted' } });
  }
  await begunRun('sorted_a' as ThreadId);
  const sorted = async (by?: string, order?: string, page: object = {}): Promise<string[]> => {
    const asked = { sort_by: by, sort_order: order, metadata: { list: 'sorted' }, ...page };
    const [status, rows] = await post<Answer[]>('/threads/search', asked);
    expect(status).toBe(200);
    return rows.map((row) => row.thread_id.replace('sorted_', ''));
  };
  expect(await sorted('thread_id', 'asc')).toEqual(['a', 'b', 'c']);
  expect(await sorted('thread_id')).toEqual(['c', 'b', 'a']);
  expect(await sorted('created_at', 'asc')).toEqual(['c', 'a', 'b']);
  expect(await sorted(undefined, 'ASC', { limit: 1, offset: 1 })).toEqual(['a']);
  expect(await sorted('status')).toHaveLength(3);
  expect(await sorted('updated_at', 'desc')).toHaveLength(3);
  expect((await post('/threads/search', { sort_by: 'name' }))[0]).toBe(422);
});

it('reports what the checkpoints of a thread take', async () => {
  const threadId = await madeThread('00000000-0000-4000-8000-0000000000a1');
  const empty = { count: 0, bytes: 0 };
  expect(await get(`/threads/${threadId}/storage`)).toEqual({
    thread_id: threadId,
    total_bytes: 0,
    checkpoints: empty,
    channel_values: { ...empty, by_channel: {} },
    pending_writes: empty,
  });
  save(threadId, 1, 2);
  const { total_bytes: total, ...size } = await get<ThreadStorage>(`/threads/${threadId}/storage`);
  expect(size.checkpoints.count).toBe(2);
  expect(size.channel_values.by_channel).toEqual({ n: { versions: 2, bytes: expect.any(Number) } });
  expect(total).toBe(size.checkpoints.bytes + size.channel_values.bytes);
  expect(size.channel_values.bytes).toBeGreaterThan(0);
  expect((await call('GET', '/threads/missing/storage'))[0]).toBe(404);
});
