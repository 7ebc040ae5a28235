import { EventSource } from 'eventsource';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type HttpService, startHttpService } from '../../../test/fixtures/http-service.ts';
import { readSse } from '../../../test/fixtures/read-sse.ts';
import {
  type AgentId,
  compositeRunId,
  type RunId,
  type RunUuid,
  type ThreadId,
} from '../../model/ids.ts';
import { jsonText } from '../../model/json.ts';
import { newRunUuid } from '../../threads/new-ids.ts';

let service: HttpService;
let threadId: ThreadId;
let runUuid: RunUuid;
let runId: RunId;
let count = 0;
beforeAll(async () => {
  service = await startHttpService({ heartbeatMs: 40 });
});
afterAll(() => service.close());
beforeEach(async () => {
  count += 1;
  threadId = `streamed_${count}` as ThreadId;
  service.engine.onRun = () => {};
  await service.engine.threads.create(threadId, {});
  runUuid = await startRun();
  runId = compositeRunId(threadId, runUuid);
});

async function startRun(): Promise<RunUuid> {
  const run = newRunUuid();
  await service.engine.runs.create(threadId, {
    runUuid: run,
    agentId: 'echo' as AgentId,
    start: { kind: 'proceed' },
    config: {},
    metadata: {},
    principal: {},
    streamModes: ['values'],
    streamSubgraphs: false,
    interruptBefore: [],
    interruptAfter: [],
    durability: 'async',
  });
  service.streams.open(compositeRunId(threadId, run));
  return run;
}

function emit(id: number, mode: string, data: unknown, ns = ''): void {
  service.streams.append(runId, { id, mode, ns, data: jsonText(JSON.stringify(data)) });
}

function complete(output = '{"n":2}'): void {
  service.engine.endRun(threadId, runUuid, { status: 'completed', output: jsonText(output) });
}

const threadPath = (): string => `${service.url}/threads/${threadId}/runs/${runUuid}/stream`;
const byIdPath = (): string => `${service.url}/runs/${runId}/stream`;

describe('GET /threads/{thread_id}/runs/{run_id}/stream', () => {
  it('sends raw payloads, then done with an empty object', async () => {
    emit(1, 'values', { n: 1 });
    emit(2, 'updates', { node: { n: 2 } }, 'child:1');
    complete();
    const { status, headers, events, comments } = await readSse(threadPath());
    expect(status).toBe(200);
    expect(events).toEqual([
      { id: 1, event: 'values', data: { n: 1 } },
      { id: 2, event: 'updates|child:1', data: { node: { n: 2 } } },
      { id: 3, event: 'done', data: {} },
    ]);
    expect(comments).toEqual([]);
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(headers.get('location')).toBe(`/runs/${runId}`);
    expect(headers.get('content-location')).toBe(`/runs/${runId}`);
  });

  it('ends with error when the run failed', async () => {
    emit(1, 'values', { n: 1 });
    const error = { code: 'agent_error', message: 'boom' };
    service.engine.endRun(threadId, runUuid, { status: 'error', error });
    const { events } = await readSse(threadPath());
    expect(events.slice(1)).toEqual([
      { id: 2, event: 'error', data: { error: 'boom', code: 'agent_error' } },
    ]);
  });

  it('is read by an independent EventSource while the run continues', async () => {
    const source = new EventSource(threadPath());
    const seen: string[] = [];
    const done = new Promise<void>((resolve) => {
      source.addEventListener('values', ({ data, lastEventId }) => {
        seen.push(`${lastEventId} ${data}`);
        if (seen.length === 1) emit(2, 'values', { n: 2 });
        else complete();
      });
      source.addEventListener('done', () => resolve());
    });
    emit(1, 'values', { n: 1 });
    await done;
    source.close();
    expect(seen).toEqual(['1 {"n":1}', '2 {"n":2}']);
  });

  it('responds with 404 and the error body for a run that does not exist', async () => {
    const response = await fetch(`${service.url}/threads/${threadId}/runs/nope/stream`);
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { code: 'run_not_found' },
    ]);
  });
});

describe('GET /runs/{run_id}/stream', () => {
  it('responds to HEAD at once', async () => {
    const response = await fetch(byIdPath(), { method: 'HEAD' });
    expect([response.status, response.headers.get('location')]).toEqual([200, `/runs/${runId}`]);
  });

  it('wraps chunks and ends with the final run', async () => {
    emit(1, 'custom', { step: 1 });
    complete();
    const { events } = await readSse(byIdPath());
    expect(events).toEqual([
      { id: 1, event: 'custom', data: { type: 'custom', data: { step: 1 } } },
      {
        id: 2,
        event: 'done',
        data: expect.objectContaining({ run_id: runId, status: 'completed', output: { n: 2 } }),
      },
    ]);
  });

  it('sends error and then done when the run failed', async () => {
    const error = { code: 'restarts_exhausted', message: 'gone' };
    service.engine.endRun(threadId, runUuid, { status: 'error', error });
    const { events } = await readSse(byIdPath());
    expect(events).toEqual([
      { id: 1, event: 'error', data: { error: 'gone', code: 'restarts_exhausted' } },
      { id: 2, event: 'done', data: expect.objectContaining({ status: 'error', error }) },
    ]);
  });

  it('resumes after Last-Event-ID, and after ?last_event_id', async () => {
    for (const id of [1, 2, 3]) emit(id, 'values', { n: id });
    complete();
    const byHeader = await readSse(byIdPath(), { headers: { 'Last-Event-ID': '2' } });
    expect(byHeader.events.map(({ id }) => id)).toEqual([3, 4]);
    const byQuery = await readSse(`${byIdPath()}?last_event_id=1`);
    expect(byQuery.events.map(({ id }) => id)).toEqual([2, 3, 4]);
  });

  it('leaves out what is already there with ?replay=false', async () => {
    emit(1, 'values', { n: 1 });
    const { events } = await readSse(`${byIdPath()}?replay=false`, {
      onOpen() {
        emit(2, 'values', { n: 2 });
        complete();
      },
    });
    expect(events.map(({ id }) => id)).toEqual([2, 3]);
  });

  it('sends when each event was published, to clients that ask for ?event_times', async () => {
    const at = Date.parse('2026-11-21T12:00:00.000Z');
    const data = jsonText('{"n":1}');
    service.streams.append(runId, { id: 1, mode: 'values', ns: '', data, at });
    service.streams.append(runId, { id: 2, mode: 'values', ns: '', data, at: at + 40 });
    complete();
    const { updatedAt } = await service.engine.runs.read(threadId, runUuid);
    const times = [at, at + 40, updatedAt].map((ms) => `at ${new Date(ms).toISOString()}`);
    for (const path of [threadPath(), byIdPath()]) {
      const asked = await readSse(`${path}?event_times=true`);
      expect(asked.comments).toEqual(times);
      const plain = await readSse(path);
      expect(plain.comments).toEqual([]);
      expect(asked.events).toEqual(plain.events);
    }
  });

  it('leaves in only the asked-for chunk types', async () => {
    emit(1, 'values', {});
    emit(2, 'updates', {});
    emit(3, 'custom', {});
    complete();
    const one = await readSse(`${byIdPath()}?stream_mode=updates`);
    expect(one.events.map(({ event }) => event)).toEqual(['updates', 'done']);
    const two = await readSse(`${byIdPath()}?stream_mode=updates&stream_mode=custom`);
    expect(two.events.map(({ event }) => event)).toEqual(['updates', 'custom', 'done']);
  });

  it.each(['last_event_id=x', 'last_event_id=-1', 'stream_mode=debug', 'replay=maybe'])(
    'responds with 400 for %s',
    async (query) => {
      const response = await fetch(`${byIdPath()}?${query}`);
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { code: 'invalid_request' },
      ]);
    },
  );

  it('shows a gap and the last checkpoint where a restart took the earlier events', async () => {
    service.engine.saveCheckpoints(threadId, [{ values: jsonText('{"n":5}') }]);
    emit(1_000_000_001, 'values', { n: 6 });
    const first = await readSse(byIdPath(), {
      headers: { 'Last-Event-ID': '4' },
      until: (_event, data) => JSON.stringify(data).includes('"n":6'),
    });
    expect(first.comments).toContain('gap');
    expect(first.events).toEqual([
      { id: 1_000_000_000, event: 'values', data: { type: 'values', data: { n: 5 } } },
      { id: 1_000_000_001, event: 'values', data: { type: 'values', data: { n: 6 } } },
    ]);
  });

  it('shows the final values of a finished run whose log is gone', async () => {
    emit(1, 'values', { n: 1 });
    complete();
    service.streams.remove(runId);
    const { comments, events } = await readSse(byIdPath());
    expect(comments).toEqual(['gap']);
    expect(events).toEqual([
      { id: 0, event: 'values', data: { type: 'values', data: { n: 2 } } },
      { id: 1, event: 'done', data: expect.objectContaining({ status: 'completed' }) },
    ]);
  });

  it('ends when a queued run is cancelled before it has any event', async () => {
    const queued = await startRun();
    service.streams.remove(compositeRunId(threadId, queued));
    const { events } = await readSse(`${service.url}/runs/${threadId}_${queued}/stream`, {
      onOpen: () => void service.engine.runs.cancel(threadId, queued),
    });
    expect(events).toMatchObject([{ event: 'done', data: { status: 'cancelled' } }]);
  });

  it('ends with error and an empty done when the run is deleted under the reader', async () => {
    const { events } = await readSse(byIdPath(), {
      onOpen: () => service.engine.threads.delete(threadId),
    });
    expect(events).toEqual([
      {
        id: undefined,
        event: 'error',
        data: { error: `There is no thread ${threadId}.`, code: 'thread_not_found' },
      },
      { id: undefined, event: 'done', data: {} },
    ]);
  });

  it('sends heartbeats while nothing happens', async () => {
    const { comments } = await readSse(byIdPath(), {
      onOpen: () => void setTimeout(complete, 150),
    });
    expect(comments).toContain('heartbeat');
  });
});

describe('POST /runs/stream', () => {
  const request = (body: object): RequestInit => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

  it('starts with start and ends with the final run', async () => {
    service.engine.onRun = (id, run) =>
      setImmediate(() => {
        const data = jsonText('{"a":\n1}');
        service.streams.append(compositeRunId(id, run.runUuid), {
          id: 1,
          mode: 'values',
          ns: '',
          data,
        });
        service.engine.endRun(id, run.runUuid, { status: 'completed', output: jsonText('{}') });
      });
    const { events } = await readSse(`${service.url}/runs/stream`, request({ input: {} }));
    const id = expect.stringMatching(/^[0-9a-f-]{36}_[0-9a-f-]{36}$/);
    const thread = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(events).toEqual([
      { id: 0, event: 'start', data: { run_id: id, thread_id: thread, status: 'running' } },
      { id: 1, event: 'values', data: { type: 'values', data: { a: 1 } } },
      { id: 2, event: 'done', data: expect.objectContaining({ run_id: id, status: 'completed' }) },
    ]);
  });

  it('continues the run when the reader leaves, or cancels it when asked to', async () => {
    for (const [onDisconnect, status] of [
      ['continue', 'running'],
      ['cancel', 'cancelling'],
    ] as const) {
      const { events, headers } = await readSse(`${service.url}/runs/stream`, {
        ...request({ on_disconnect: onDisconnect }),
        until: (event) => event === 'start',
      });
      // The access line: by then the service knows that its client has left.
      await expect
        .poll(() => service.logged)
        .toContainEqual(
          expect.objectContaining({ request_id: headers.get('x-request-id'), aborted: true }),
        );
      const [start] = events.map(({ data }) => data as { run_id: string });
      const id = start?.run_id;
      const read = async (): Promise<unknown> => (await fetch(`${service.url}/runs/${id}`)).json();
      await expect.poll(read).toMatchObject({ status });
    }
  });

  it('keeps up with a reader that is slower than the run', async () => {
    const big = 'x'.repeat(64 * 1024);
    service.engine.onRun = (id, run) =>
      setImmediate(() => {
        for (let n = 1; n <= 100; n += 1) {
          const data = jsonText(JSON.stringify({ n, big }));
          service.streams.append(compositeRunId(id, run.runUuid), {
            id: n,
            mode: 'values',
            ns: '',
            data,
          });
        }
        service.engine.endRun(id, run.runUuid, { status: 'completed', output: jsonText('{}') });
      });
    const { events } = await readSse(`${service.url}/runs/stream`, request({}));
    expect(events.map(({ id }) => id)).toEqual(Array.from({ length: 102 }, (_, index) => index));
  });
});
