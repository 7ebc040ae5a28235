import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  exampleAgents,
  type HttpService,
  startHttpService,
} from '../../../test/fixtures/http-service.ts';
import { readSse } from '../../../test/fixtures/read-sse.ts';
import { compositeRunId, type RunUuid, type ThreadId } from '../../model/ids.ts';
import { jsonText } from '../../model/json.ts';

let service: HttpService;
let threadId: ThreadId;
let runUuid: RunUuid;
let count = 0;
beforeAll(async () => {
  const agents = exampleAgents.list();
  service = await startHttpService({
    agents: {
      ...exampleAgents,
      list: () =>
        agents.map((one) => (one.name === 'broken' ? { ...one, language: 'javascript' } : one)),
      resolve: (agentId) => {
        const { error: _, ...agent } = exampleAgents.resolve(agentId);
        return agent;
      },
    },
  });
});
afterAll(() => service.close());
beforeEach(async () => {
  count += 1;
  threadId = `streamed_${count}` as ThreadId;
  await post('/threads', { thread_id: threadId });
});

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${service.url}/compat/langgraph${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
}

async function begin(body: object): Promise<void> {
  const run = { assistant_id: 'echo', input: {}, ...body };
  const { run_id: id } = await post(`/threads/${threadId}/runs`, run);
  runUuid = id as RunUuid; // the service made it
  service.streams.open(compositeRunId(threadId, runUuid));
}

function emit(id: number, mode: string, data: unknown): void {
  const event = { id, mode, ns: '', data: jsonText(JSON.stringify(data)) };
  service.streams.append(compositeRunId(threadId, runUuid), event);
}

function complete(): void {
  service.engine.endRun(threadId, runUuid, { status: 'completed', output: jsonText('{"n":2}') });
}

const joined = async (query = '', headers: Record<string, string> = {}) => {
  const path = `/threads/${threadId}/runs/${runUuid}/stream${query}`;
  const { events } = await readSse(`${service.url}/compat/langgraph${path}`, { headers });
  return events.map(({ id, event }) => [id, event]);
};

it('ends a stream after its last event, and numbers metadata too', async () => {
  await begin({ stream_mode: ['values', 'updates'] });
  emit(1, 'values', { n: 1 });
  emit(2, 'updates', { node: { n: 2 } });
  complete();
  expect(await joined()).toEqual([
    [0, 'metadata'],
    [1, 'values'],
    [2, 'updates'],
  ]);
  expect(await joined('', { 'Last-Event-ID': '0' })).toEqual([
    [1, 'values'],
    [2, 'updates'],
  ]);
  expect(await joined('', { 'Last-Event-ID': '-1' })).toHaveLength(3);
});

it('ends the stream of a run that failed with its error', async () => {
  await begin({});
  const error = { code: 'agent_error', type: 'ValueError', message: 'No.' };
  service.engine.endRun(threadId, runUuid, { status: 'error', error });
  expect((await joined()).at(-1)?.[1]).toBe('error');
});

it('takes the modes of a stream as a JSON array, too', async () => {
  await begin({ stream_mode: ['values', 'updates', 'custom'] });
  emit(1, 'values', { n: 1 });
  emit(2, 'updates', { node: { n: 2 } });
  emit(3, 'custom', { at: 1 });
  complete();
  const query = `?stream_mode=${encodeURIComponent('["updates","custom"]')}`;
  const names = (await joined(query)).map(([, name]) => name);
  expect(names).toEqual(['metadata', 'updates', 'custom']);
  const wrong = `/threads/${threadId}/runs/${runUuid}/stream?stream_mode=["nothing"]`;
  expect((await fetch(`${service.url}/compat/langgraph${wrong}`)).status).toBe(422);
});

it('has messages of an agent in JavaScript complete with the states', async () => {
  await begin({ assistant_id: 'broken', stream_mode: ['messages'] });
  emit(1, 'messages', {
    message: { type: 'ai', id: 'm', content: 'H', tool_call_chunks: [] },
    metadata: {},
  });
  emit(2, 'values', { messages: [{ type: 'ai', id: 'm', content: 'Hi' }] });
  complete();
  expect((await joined('?stream_mode=messages')).map(([, name]) => name)).toEqual([
    'metadata',
    'messages/metadata',
    'messages/partial',
    'messages/complete',
  ]);
});
