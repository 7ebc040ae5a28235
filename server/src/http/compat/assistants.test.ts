import { afterEach, beforeEach, expect, it } from 'vitest';
import { call } from '../../../test/fixtures/call.ts';
import {
  exampleAgents,
  type HttpService,
  startHttpService,
} from '../../../test/fixtures/http-service.ts';
import { assistantIdOf } from '../../model/agent-description.ts';
import { jsonText } from '../../model/json.ts';

let service: HttpService;
beforeEach(async () => {
  service = await startHttpService();
});
afterEach(() => service.close());

interface Shown {
  assistant_id: string;
  version: number;
}
const unknown = '00000000-0000-4000-8000-000000000000';

const ask = (method: string, path: string, body?: object) =>
  call(`${service.url}/compat/langgraph/assistants${path}`, method, body);
const make = async (body: object): Promise<Shown> =>
  (await ask('POST', '', { graph_id: 'echo', ...body })).body as Shown;

it('makes an assistant of an agent, and reads it', async () => {
  const config = { configurable: { model: 'small' }, tags: ['x'] };
  const made = await make({ name: 'Short', config, metadata: { a: 1 } });
  expect(made).toMatchObject({
    ...{ graph_id: 'echo', name: 'Short', description: null, version: 1 },
    ...{ config, context: {}, metadata: { a: 1 } },
  });
  expect((await ask('GET', `/${made.assistant_id}`)).body).toEqual(made);
  expect((await ask('GET', `/${made.assistant_id}/schemas`)).body).toMatchObject({
    graph_id: 'echo',
  });
  expect(await make({})).toMatchObject({ name: 'echo', config: {}, context: {}, metadata: {} });
});

it('refuses an id that is taken, unless that does not matter', async () => {
  const assistant_id = '10000000-0000-4000-8000-000000000001';
  const made = await make({ assistant_id, name: 'first' });
  expect(made).toMatchObject({ assistant_id });
  const again = await ask('POST', '', { graph_id: 'echo', assistant_id, name: 'second' });
  expect(again).toMatchObject({ status: 409, body: { code: 'assistant_exists' } });
  expect(await make({ assistant_id, if_exists: 'do_nothing' })).toEqual(made);
});

it('changes make versions, of which one is current', async () => {
  const { assistant_id: id } = await make({ name: 'one', metadata: { kept: true } });
  const changed = await ask('PATCH', `/${id}`, { name: 'two', metadata: { more: 'm' } });
  expect(changed.body).toMatchObject({
    ...{ name: 'two', version: 2, metadata: { kept: true, more: 'm' } },
  });
  const back = await ask('POST', `/${id}/latest`, { version: 1 });
  expect(back.body).toMatchObject({ name: 'one', version: 1, metadata: { kept: true } });
  await ask('PATCH', `/${id}`, { name: 'three' });
  const versions = (await ask('POST', `/${id}/versions`, {})).body as object[];
  expect(versions).toMatchObject([
    { version: 3, name: 'three' },
    { version: 2, name: 'two' },
    { version: 1, name: 'one' },
  ]);
  const some = await ask('POST', `/${id}/versions`, { metadata: { more: 'm' }, limit: 1 });
  expect(some.body).toMatchObject([{ version: 2 }]);
  expect(await ask('POST', `/${id}/latest`, { version: 9 })).toMatchObject({ status: 404 });
});

it('finds assistants by agent, name and metadata, with those of the agents', async () => {
  await make({ name: 'Poet', metadata: { team: 'a' } });
  await make({ name: 'Critic', metadata: { team: 'b' } });
  const names = async (body: object): Promise<string[]> =>
    ((await ask('POST', '/search', body)).body as { name: string }[]).map(({ name }) => name);
  expect((await names({ graph_id: 'echo' })).toSorted()).toEqual(['Critic', 'Poet', 'echo']);
  expect(await names({ name: 'poe' })).toEqual(['Poet']);
  expect(await names({ metadata: { team: 'b' } })).toEqual(['Critic']);
  expect(await names({ metadata: { created_by: 'system' }, graph_id: 'echo' })).toEqual(['echo']);
  const sorted = { graph_id: 'echo', sort_by: 'name', sort_order: 'asc' };
  expect(await names({ ...sorted, limit: 2 })).toEqual(['Critic', 'Poet']);
  expect((await ask('POST', '/count', { graph_id: 'echo' })).body).toBe(3);
});

it('deletes assistants, but not those of agents', async () => {
  const { assistant_id: id } = await make({});
  expect((await ask('DELETE', `/${id}`)).status).toBe(204);
  for (const gone of [id, unknown]) {
    const response = await ask('GET', `/${gone}`);
    expect(response).toMatchObject({ status: 404, body: { code: 'assistant_not_found' } });
  }
  for (const [method, body] of [['DELETE'], ['PATCH', { name: 'x' }]] as const) {
    const refused = await ask(method, `/${assistantIdOf('echo')}`, body);
    expect(refused).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  }
});

it('deletes the threads that name an assistant or that it last ran on, and no others', async () => {
  const { assistant_id: id } = await make({});
  const makeThread = (thread_id: string, metadata: object = {}) =>
    call(`${service.url}/threads`, 'POST', { thread_id, metadata });
  const run = (thread: string, assistant_id: string) =>
    call(`${service.url}/compat/langgraph/threads/${thread}/runs`, 'POST', {
      assistant_id,
      input: {},
    });
  service.engine.onRun = (threadId, { runUuid }) =>
    service.engine.endRun(threadId, runUuid, { status: 'completed', output: jsonText('{}') });
  await makeThread('named', { assistant_id: id });
  for (const thread of ['run', 'of-another', 'taken']) await makeThread(thread);
  await run('run', id);
  await run('taken', id);
  await run('taken', 'echo');
  expect((await ask('DELETE', `/${id}?delete_threads=true`)).status).toBe(204);
  const left = await call(`${service.url}/compat/langgraph/threads/search`, 'POST', {});
  const ids = (left.body as { thread_id: string }[]).map(({ thread_id }) => thread_id);
  expect(ids.toSorted()).toEqual(['of-another', 'taken']);
});

it.each([
  [{ graph_id: 'nobodys' }, 404, 'agent_not_found'],
  [{ graph_id: 'echo', assistant_id: 'mine' }, 422, 'invalid_request'],
  [{ graph_id: 'echo', name: 'a\0b' }, 422, 'invalid_request'],
  [
    { graph_id: 'echo', config: { configurable: { a: 1 } }, context: { b: 1 } },
    422,
    'invalid_request',
  ],
  [{ graph_id: 'echo', config: { configurable: { __pregel_send: 1 } } }, 422, 'invalid_request'],
])('refuses %j', async (body, status, code) => {
  expect(await ask('POST', '', body)).toMatchObject({ status, body: { code } });
});

/** Agent, config and context of each run that is made from now on. */
function madeRuns({ engine: { runs } }: HttpService): unknown[] {
  const seen: unknown[] = [];
  const create = runs.create.bind(runs);
  runs.create = (threadId, run) => {
    const { agentId, config, context } = run;
    seen.push([agentId, config, context === undefined ? undefined : JSON.parse(context)]);
    return create(threadId, run);
  };
  return seen;
}

it('runs have what the manifest adds to their agent’s assistant', async () => {
  const config = { recursion_limit: 7, configurable: { model: 'small', lang: 'de' } };
  const echo = { ...exampleAgents.resolve('echo'), assistant: { config, context: {} } };
  const own = await startHttpService({ agents: { list: () => [echo], resolve: () => echo } });
  try {
    const seen = madeRuns(own);
    const compat = `${own.url}/compat/langgraph`;
    for (const id of ['echo', assistantIdOf('echo')]) {
      const shown = await call(`${compat}/assistants/${id}`);
      expect(shown.body).toMatchObject({ name: 'echo', version: 1, config, context: {} });
    }
    await call(`${own.url}/threads`, 'POST', { thread_id: 't' });
    const begin = (body: object) =>
      call(`${compat}/threads/t/runs`, 'POST', { assistant_id: 'echo', input: {}, ...body });
    const run = await begin({ config: { configurable: { lang: 'en' } } });
    expect(run.body).toMatchObject({ assistant_id: assistantIdOf('echo') });
    await begin({ assistant_id: assistantIdOf('echo'), context: { lang: 'fr' } });
    await call(`${own.url}/threads/t/runs`, 'POST', { agent_id: 'echo', input: {} });
    expect(seen).toEqual([
      ['echo', { recursion_limit: 7, configurable: { model: 'small', lang: 'en' } }, undefined],
      ['echo', { recursion_limit: 7 }, { model: 'small', lang: 'fr' }],
      ['echo', {}, undefined],
    ]);
  } finally {
    await own.close();
  }
});

it('runs have what their assistant adds, and what they name themselves wins', async () => {
  const seen = madeRuns(service);
  const { assistant_id: id } = await make({
    config: { recursion_limit: 7, configurable: { model: 'small', lang: 'de' } },
    metadata: { team: 'a' },
  });
  const { assistant_id: dry } = await make({ context: { tone: 'dry', lang: 'de' } });
  const runs = `${service.url}/compat/langgraph/threads/t/runs`;
  await call(`${service.url}/threads`, 'POST', { thread_id: 't' });
  const begin = (body: object) => call(runs, 'POST', { assistant_id: id, input: {}, ...body });
  const run = await begin({ config: { configurable: { lang: 'en' } }, metadata: { by: 'test' } });
  expect(run.body).toMatchObject({
    assistant_id: id,
    metadata: { team: 'a', by: 'test', graph_id: 'echo', assistant_id: id },
  });
  await begin({ context: { lang: 'fr' } });
  await begin({ assistant_id: dry });
  await begin({ assistant_id: dry, context: { lang: 'it' } });
  await begin({ assistant_id: dry, config: { configurable: { lang: 'en' } } });
  expect(seen).toEqual([
    ['echo', { recursion_limit: 7, configurable: { model: 'small', lang: 'en' } }, undefined],
    ['echo', { recursion_limit: 7 }, { model: 'small', lang: 'fr' }],
    ['echo', {}, { tone: 'dry', lang: 'de' }],
    ['echo', {}, { tone: 'dry', lang: 'it' }],
    ['echo', { configurable: { tone: 'dry', lang: 'en' } }, undefined],
  ]);
  const gone = await begin({ assistant_id: unknown });
  expect(gone).toMatchObject({ status: 404, body: { code: 'assistant_not_found' } });
});
