import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseRunId, type RunUuid, type ThreadId } from '../../model/ids.ts';
import { jsonText } from '../../model/json.ts';
import { RUN_DELAY_SECONDS } from '../../model/limits/limits.ts';
import { call, type JsonResponse } from '../../../test/fixtures/call.ts';
import { type HttpService, startHttpService } from '../../../test/fixtures/http-service.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}';

let service: HttpService;
let threadId: ThreadId;
let count = 0;
beforeAll(async () => {
  service = await startHttpService();
});
afterAll(() => service.close());
beforeEach(async () => {
  count += 1;
  threadId = `thread_${count}` as ThreadId;
  service.engine.onRun = () => {};
  await service.engine.threads.create(threadId, {});
});

const post = (path: string, body?: unknown) => call(`${service.url}${path}`, 'POST', body);
const get = (path: string) => call(`${service.url}${path}`);
const output = jsonText('{"messages": [], "score": 1.0}');

/** Lets every accepted run complete shortly after. */
function completeRuns(): void {
  service.engine.onRun = (id, run) =>
    setImmediate(() => service.engine.endRun(id, run.runUuid, { status: 'completed', output }));
}

function keyOf(response: JsonResponse): { threadId: ThreadId; runUuid: RunUuid } {
  const { run_id: runId } = response.body as { run_id: string };
  const key = parseRunId(runId);
  if (!key) throw new Error(`no run id: ${runId}`);
  return key;
}

describe('POST /threads/{thread_id}/runs', () => {
  it('responds with 202 and a running run', async () => {
    const response = await post(`/threads/${threadId}/runs`, { input: {}, metadata: { a: 1 } });
    expect([response.status, response.body]).toEqual([
      202,
      {
        run_id: expect.stringMatching(new RegExp(`^${threadId}_${UUID}$`)),
        thread_id: threadId,
        status: 'running',
        created_at: TIME,
        updated_at: TIME,
        metadata: { a: 1 },
        agent_id: 'echo',
        max_attempts: 3,
      },
    ]);
  });

  it('responds with 200 and the output as it was made when it completes within the window', async () => {
    completeRuns();
    const response = await fetch(`${service.url}/threads/${threadId}/runs?wait=30s`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"input":{}}',
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(`"output":${output}`);
  });

  it('responds with 504 and the run when the window elapses, and the run continues', async () => {
    const response = await post(`/threads/${threadId}/runs?wait=20ms`, {});
    const { run_id: runId } = (response.body as { metadata: { run_id: string } }).metadata;
    expect([response.status, response.body]).toMatchObject([504, { code: 'wait_elapsed' }]);
    expect(response.headers.get('location')).toBe(`/runs/${runId}`);
    expect(response.headers.get('retry-after')).toBe('1');
    expect((await get(`/runs/${runId}`)).body).toMatchObject({ status: 'running' });
  });

  it.each([
    ['wait=0', 202],
    ['wait=0s', 202],
    ['timeout=20ms', 504],
    ['wait=20ms&timeout=5m', 504],
    ['wait=0&timeout=5m', 202],
    ['wait=soon', 400],
    ['wait=', 400],
    ['wait=-1', 400],
    ['wait=1.5', 400],
    ['wait=1s&wait=2s', 400],
  ])('responds to %s with %d', async (query, status) => {
    expect((await post(`/threads/${threadId}/runs?${query}`, {})).status).toBe(status);
  });

  it('returns an interrupted run at once', async () => {
    const interrupted = jsonText('{"__interrupt__":[{"id":"i1","value":"sure?"}]}');
    service.engine.onRun = (id, run) =>
      setImmediate(() =>
        service.engine.endRun(id, run.runUuid, {
          status: 'interrupted',
          output: interrupted,
          interrupts: [{ id: 'i1', value: 'sure?' }],
        }),
      );
    const response = await post(`/threads/${threadId}/runs?wait=5m`, {});
    expect([response.status, response.body]).toMatchObject([
      200,
      { status: 'interrupted', output: { __interrupt__: [{ id: 'i1', value: 'sure?' }] } },
    ]);
    expect((await get(`/threads/${threadId}`)).body).toMatchObject({
      status: 'interrupted',
      interrupts: [{ id: 'i1', value: 'sure?' }],
    });
  });

  it('hands on what the client asked for, the input to the letter', async () => {
    service.engine.saveCheckpoints(threadId, [{ values: jsonText('{}'), id: 'c1' }]);
    const body = `{"input": {"x": 1.0, "big": 12345678901234567890}, "assistant_id": "echo",
      "config": {"tags": ["t"], "recursion_limit": 7, "configurable": {"k": "v"}, "more": 1},
      "stream_mode": "values", "stream_subgraphs": true, "interrupt_before": "*",
      "interrupt_after": ["a"], "durability": "sync", "multitask_strategy": "enqueue",
      "checkpoint": {"checkpoint_id": "c1", "thread_id": "ignored"}}`;
    const response = await fetch(`${service.url}/threads/${threadId}/runs`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    const run = (await response.json()) as { run_id: string };
    const key = parseRunId(run.run_id);
    expect(key && (await service.engine.requestOf(key.threadId, key.runUuid))).toEqual({
      runUuid: key?.runUuid,
      agentId: 'echo',
      start: { kind: 'input', json: '{"x": 1.0, "big": 12345678901234567890}' },
      config: { tags: ['t'], recursion_limit: 7, configurable: { k: 'v' }, more: 1 },
      metadata: {},
      principal: { sub: 'anonymous', mroles: ['mrn:service:role:anonymous'] },
      streamModes: ['values'],
      streamSubgraphs: true,
      interruptBefore: ['*'],
      interruptAfter: ['a'],
      durability: 'sync',
      checkpoint: { ns: '', id: 'c1' },
    });
  });

  it('streams the four modes unless asked, otherwise what was asked', async () => {
    const modesOf = async (body: unknown): Promise<unknown> => {
      const { runUuid } = keyOf(await post(`/threads/${threadId}/runs`, body));
      return (await service.engine.requestOf(threadId, runUuid)).streamModes;
    };
    expect(await modesOf({})).toEqual(['values', 'updates', 'messages', 'custom']);
    const asked = ['tasks', 'calls', 'lifecycle'];
    expect(await modesOf({ stream_mode: [...asked, 'tasks'] })).toEqual(asked);
    expect(await modesOf({ stream_mode: 'lifecycle' })).toEqual(['lifecycle']);
  });

  it('holds a run back by after_seconds, up to a year', async () => {
    const held = await post(`/threads/${threadId}/runs`, { after_seconds: RUN_DELAY_SECONDS });
    expect([held.status, held.body]).toMatchObject([202, { status: 'running', queue_position: 1 }]);
    const thread = await call(`${service.url}/threads/${threadId}`);
    expect(thread.body).toMatchObject({ status: 'idle' });
    const next = await post(`/threads/${threadId}/runs`, { after_seconds: 0 });
    expect(next.body).not.toHaveProperty('queue_position');
  });

  it("takes a checkpoint in the config, LangGraph's way, for the one to run from", async () => {
    const past = { values: jsonText('{}'), id: 'c1', ns: 'child' };
    service.engine.saveCheckpoints(threadId, [past]);
    const configurable = { checkpoint_id: 'c1', checkpoint_ns: 'child' };
    const run = keyOf(await post(`/threads/${threadId}/runs`, { config: { configurable } }));
    const { checkpoint } = await service.engine.requestOf(threadId, run.runUuid);
    expect(checkpoint).toEqual({ ns: 'child', id: 'c1' });
  });

  it('takes null input as going on, and a command as it was sent', async () => {
    const proceed = keyOf(await post(`/threads/${threadId}/runs`, { input: null }));
    const startOf = async ({ runUuid }: { runUuid: RunUuid }): Promise<unknown> =>
      (await service.engine.requestOf(threadId, runUuid)).start;
    expect(await startOf(proceed)).toEqual({ kind: 'proceed' });
    const goto = keyOf(await post(`/threads/${threadId}/runs`, { command: { goto: 'a' } }));
    expect(await startOf(goto)).toEqual({ kind: 'command', json: '{"goto":"a"}' });
  });

  it.each([
    [{ input: 'x' }, 'input'],
    [{ input: [1] }, 'input'],
    [{ input: 0 }, 'input'],
    [{ agent_id: 5 }, 'agent_id'],
    [{ metadata: 'x' }, 'metadata'],
    [{ config: [] }, 'config'],
    [{ config: { recursion_limit: 0 } }, 'config.recursion_limit'],
    [{ config: { tags: [1] } }, 'config.tags.0'],
    [{ config: { configurable: { __pregel_send: 1 } } }, 'config.configurable.__pregel_send'],
    [{ config: { configurable: { __x: 1 } } }, 'config.configurable.__x'],
    [{ context: { __pregel_checkpointer: {} } }, 'context.__pregel_checkpointer'],
    [{ command: {} }, 'command'],
    [{ command: { goto: 1 } }, 'command.goto'],
    [{ input: {}, command: { resume: 1 } }, 'command'],
    [{ stream_mode: 'debug' }, 'stream_mode'],
    [{ stream_mode: [] }, 'stream_mode'],
    [{ durability: 'never' }, 'durability'],
    [{ multitask_strategy: 'wait' }, 'multitask_strategy'],
    [{ interrupt_before: 'node' }, 'interrupt_before'],
    [{ checkpoint: {} }, 'checkpoint.checkpoint_id'],
    [{ webhook: 'http://x' }, 'webhook'],
    [{ after_seconds: -1 }, 'after_seconds'],
    [{ after_seconds: 'soon' }, 'after_seconds'],
    [{ after_seconds: RUN_DELAY_SECONDS + 1 }, 'after_seconds'],
  ])('responds with 400 for %j', async (body, path) => {
    const response = await post(`/threads/${threadId}/runs`, body);
    expect([response.status, response.body]).toMatchObject([
      400,
      { code: 'invalid_request', metadata: { issues: [{ path }] } },
    ]);
  });

  it.each(['text', '', ['a', 2], 0, false])(
    'takes %j as the input of an agent whose schema is no object',
    async (input) => {
      const body = { agent_id: 'entrypoint', input };
      const { runUuid } = keyOf(await post(`/threads/${threadId}/runs`, body));
      const { start } = await service.engine.requestOf(threadId, runUuid);
      expect(start).toEqual({ kind: 'input', json: JSON.stringify(input) });
    },
  );

  it('responds with 404 for an unknown agent or thread, 409 when nothing waits', async () => {
    const agent = await post(`/threads/${threadId}/runs`, { agent_id: 'nobody' });
    expect([agent.status, agent.body]).toMatchObject([404, { code: 'agent_not_found' }]);
    const thread = await post('/threads/nowhere/runs', {});
    expect([thread.status, thread.body]).toMatchObject([404, { code: 'thread_not_found' }]);
    const resume = await post(`/threads/${threadId}/runs`, { command: { resume: 'yes' } });
    expect([resume.status, resume.body]).toMatchObject([409, { code: 'not_interrupted' }]);
  });
});

describe('reading runs', () => {
  it('shows attempt and last_failure only once a run was restarted', async () => {
    const { runUuid } = keyOf(await post(`/threads/${threadId}/runs`, {}));
    const path = `/threads/${threadId}/runs/${runUuid}`;
    expect((await get(path)).body).not.toHaveProperty('attempt');
    service.engine.restartRun(threadId, runUuid, 'CRASH');
    expect((await get(path)).body).toMatchObject({ attempt: 2, last_failure: 'CRASH' });
  });

  it('leaves out an output that is null, as of a run that stopped before its first node', async () => {
    const { runUuid } = keyOf(await post(`/threads/${threadId}/runs`, {}));
    const end = { status: 'completed', output: jsonText('null') } as const;
    service.engine.endRun(threadId, runUuid, end);
    const { body } = await get(`/runs/${threadId}_${runUuid}`);
    expect(body).toMatchObject({ status: 'completed' });
    expect(body).not.toHaveProperty('output');
  });

  it('shows the error of a failed run', async () => {
    const { runUuid } = keyOf(await post(`/threads/${threadId}/runs`, {}));
    const error = { code: 'agent_error', message: 'boom', type: 'ValueError', traceback: 'T' };
    service.engine.endRun(threadId, runUuid, { status: 'error', error });
    const response = await get(`/runs/${threadId}_${runUuid}`);
    expect(response.body).toMatchObject({ status: 'error', error });
    expect(response.body).not.toHaveProperty('output');
  });

  it('lists newest first, in pages', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      const response = await post(`/threads/${threadId}/runs`, {});
      ids.unshift((response.body as { run_id: string }).run_id);
    }
    const page = await get(`/threads/${threadId}/runs?limit=2`);
    expect((page.body as { run_id: string }[]).map((run) => run.run_id)).toEqual(ids.slice(0, 2));
    expect(page.headers.get('x-pagination-total')).toBe('3');
    expect(page.headers.get('x-pagination-next')).toBe('2');
    const rest = await get(`/threads/${threadId}/runs?limit=2&offset=2`);
    expect((rest.body as { run_id: string }[]).map((run) => run.run_id)).toEqual(ids.slice(2));
    expect(rest.headers.get('x-pagination-next')).toBeNull();
  });

  it('lists 100 unless asked otherwise', async () => {
    for (let index = 0; index < 101; index += 1) await post(`/threads/${threadId}/runs`, {});
    const page = await get(`/threads/${threadId}/runs`);
    expect(page.body).toHaveLength(100);
    expect(page.headers.get('x-pagination-next')).toBe('100');
  });

  it.each([
    'limit=0',
    'limit=1001',
    'limit=x',
    'limit=',
    'limit=1.5',
    'limit=1&limit=2',
    'offset=-1',
  ])('responds with 400 for %s', async (query) => {
    const response = await get(`/threads/${threadId}/runs?${query}`);
    expect([response.status, response.body]).toMatchObject([400, { code: 'invalid_request' }]);
  });

  it('takes the composite id and the bare uuid below a thread, and only the composite by id', async () => {
    const { runUuid } = keyOf(await post(`/threads/${threadId}/runs`, {}));
    const below = `/threads/${threadId}/runs`;
    expect((await get(`${below}/${runUuid}`)).status).toBe(200);
    expect((await get(`${below}/${threadId}_${runUuid}`)).status).toBe(200);
    expect((await get(`/runs/${threadId}_${runUuid}`)).status).toBe(200);
    const other = await get(`${below}/other_${runUuid}`);
    expect([other.status, other.body]).toMatchObject([404, { code: 'run_not_found' }]);
    for (const path of [`/runs/${runUuid}`, '/runs/x', '/runs/wait', `/runs/nowhere_${runUuid}`]) {
      const response = await get(path);
      expect([response.status, response.body]).toMatchObject([404, { code: 'run_not_found' }]);
    }
  });
});

describe('cancel and delete', () => {
  it('cancels with 202 and is idempotent for terminal runs', async () => {
    const { runUuid } = keyOf(await post(`/threads/${threadId}/runs`, {}));
    const first = await post(`/threads/${threadId}/runs/${runUuid}/cancel`);
    expect([first.status, first.body]).toMatchObject([202, { status: 'cancelling' }]);
    service.engine.endRun(threadId, runUuid, { status: 'cancelled' });
    const second = await post(`/runs/${threadId}_${runUuid}/cancel`);
    expect([second.status, second.body]).toMatchObject([202, { status: 'cancelled' }]);
  });

  it('deletes a settled run, and responds with 409 while it runs', async () => {
    const { runUuid } = keyOf(await post(`/threads/${threadId}/runs`, {}));
    const path = `${service.url}/runs/${threadId}_${runUuid}`;
    const early = await call(path, 'DELETE');
    expect([early.status, early.body]).toMatchObject([409, { code: 'run_active' }]);
    service.engine.endRun(threadId, runUuid, { status: 'completed', output });
    expect((await call(path, 'DELETE')).status).toBe(204);
    expect((await call(path)).status).toBe(404);
  });
});

describe('stateless runs', () => {
  it('creates a run on its own thread', async () => {
    const response = await post('/runs', { input: {} });
    expect(response.status).toBe(202);
    expect(response.body).toMatchObject({ run_id: expect.stringMatching(`^${UUID}_${UUID}$`) });
    expect(response.body).not.toHaveProperty('input');
  });

  it('waits for the final run', async () => {
    completeRuns();
    const response = await post('/runs/wait', { input: {} });
    expect([response.status, response.body]).toMatchObject([
      200,
      { status: 'completed', output: { messages: [], score: 1 } },
    ]);
  });

  it('responds with 504 at once for wait=0 on the wait endpoints, unless the run is finished', async () => {
    expect((await post('/runs/wait?wait=0', {})).status).toBe(504);
    const { runUuid } = keyOf(await post(`/threads/${threadId}/runs`, {}));
    const path = `/runs/${threadId}_${runUuid}/wait`;
    expect((await get(`${path}?wait=0`)).status).toBe(504);
    const waiting = get(path);
    service.engine.endRun(threadId, runUuid, { status: 'cancelled' });
    expect([(await waiting).status, (await waiting).body]).toMatchObject([
      200,
      { status: 'cancelled' },
    ]);
    expect((await get(`${path}?wait=0`)).status).toBe(200);
  });

  it('cancels the run when its client disconnects and asked for that', async () => {
    const accepted = new Promise<{ id: ThreadId; runUuid: RunUuid }>((resolve) => {
      service.engine.onRun = (id, run) => resolve({ id, runUuid: run.runUuid });
    });
    const client = new AbortController();
    const request = fetch(`${service.url}/runs/wait`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"on_disconnect":"cancel"}',
      signal: client.signal,
    }).catch(() => 'gone');
    const { id, runUuid } = await accepted;
    client.abort();
    expect(await request).toBe('gone');
    await expect
      .poll(async () => (await service.engine.runs.read(id, runUuid)).status)
      .toBe('cancelling');
  });
});
