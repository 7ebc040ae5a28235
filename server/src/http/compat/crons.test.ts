import { afterEach, beforeEach, expect, it } from 'vitest';
import { call } from '../../../test/fixtures/call.ts';
import { type HttpService, startHttpService } from '../../../test/fixtures/http-service.ts';
import { assistantIdOf } from '../../model/agent-description.ts';
import type { NewRun } from '../../model/run/run.ts';

let service: HttpService;
let runs: { threadId: string; run: NewRun }[];
beforeEach(async () => {
  service = await startHttpService();
  runs = [];
  const { runs: engine } = service.engine;
  const [create, startStateless] = [engine.create.bind(engine), engine.startStateless.bind(engine)];
  engine.create = (threadId, run, ...more) => {
    runs.push({ threadId, run });
    return create(threadId, run, ...more);
  };
  engine.startStateless = (threadId, run, ...more) => {
    runs.push({ threadId, run });
    return startStateless(threadId, run, ...more);
  };
});
afterEach(() => service.close());

interface Shown {
  cron_id: string;
  next_run_date: string;
  updated_at: string;
}
const unknown = '00000000-0000-4000-8000-000000000000';
const yearly = { assistant_id: 'echo', schedule: '0 0 1 1 *' };
const NEW_YEAR = /^\d{4}-01-01T00:00:00\.000Z$/;

const ask = (method: string, path: string, body?: object) =>
  call(`${service.url}/compat/langgraph${path}`, method, body);
const make = async (body: object = {}): Promise<Shown> =>
  (await ask('POST', '/runs/crons', { ...yearly, ...body })).body as Shown;

/** What the scheduler does when its time has come. */
async function fire(cronId: string, at = 0): Promise<void> {
  const cron = await service.crons.read(cronId);
  if (cron?.nextAt === undefined) throw new Error('It is not enabled.');
  await service.fireCron({ cron: { ...cron, nextAt: cron.nextAt }, at });
}

it('makes a cron, and reads it', async () => {
  const input = { messages: [], n: 1 };
  const made = await make({
    ...{ input, metadata: { suite: 'x' }, timezone: 'Europe/Berlin', webhook: null },
    end_time: '2099-12-31T23:59:59+00:00',
  });
  expect(made).toMatchObject({
    ...{ assistant_id: assistantIdOf('echo'), thread_id: null, on_run_completed: 'delete' },
    ...{ schedule: '0 0 1 1 *', timezone: 'Europe/Berlin', enabled: true, user_id: null },
    ...{ end_time: '2099-12-31T23:59:59.000Z', metadata: { suite: 'x' } },
    payload: { ...yearly, input, metadata: { suite: 'x' } },
  });
  expect(made.next_run_date).toMatch(/-12-31T23:00:00\.000Z$/);
  expect((await ask('GET', `/runs/crons/${made.cron_id}`)).body).toEqual(made);
  expect((await make()).next_run_date).toMatch(NEW_YEAR);
});

it('makes a cron of a thread that is there', async () => {
  await call(`${service.url}/threads`, 'POST', { thread_id: 't' });
  const made = await ask('POST', '/threads/t/runs/crons', { ...yearly, enabled: false });
  expect(made.body).toMatchObject({
    ...{ thread_id: 't', on_run_completed: null, enabled: false, next_run_date: null },
  });
  const gone = await ask('POST', '/threads/none/runs/crons', yearly);
  expect(gone).toMatchObject({ status: 404, body: { code: 'thread_not_found' } });
});

it('changes a cron: members that are left out stay', async () => {
  const { cron_id: id } = await make({ input: { a: 1 }, metadata: { kept: true } });
  const changed = await ask('PATCH', `/runs/crons/${id}`, {
    ...{ schedule: '0 0 2 1 *', end_time: '2099-01-01T00:00:00', metadata: { more: 1 } },
    ...{ interrupt_before: ['n'], on_run_completed: 'keep', input: null },
  });
  expect(changed.body).toMatchObject({
    ...{ schedule: '0 0 2 1 *', end_time: '2099-01-01T00:00:00.000Z', on_run_completed: 'keep' },
    ...{ metadata: { kept: true, more: 1 }, payload: { input: { a: 1 }, interrupt_before: ['n'] } },
  });
  const off = await ask('PATCH', `/runs/crons/${id}`, { enabled: false });
  expect(off.body).toMatchObject({ enabled: false, next_run_date: null, schedule: '0 0 2 1 *' });
  const endless = await ask('PATCH', `/runs/crons/${id}`, { end_time: null, enabled: true });
  expect(endless.body).toMatchObject({ end_time: null, enabled: true });
});

it('finds and counts crons', async () => {
  const first = await make({ metadata: { team: 'a' } });
  const second = await make({ schedule: '0 0 1 2 *', metadata: { team: 'b' }, enabled: false });
  const third = await make({ schedule: '0 0 1 3 *', end_time: '2099-01-01T00:00:00Z' });
  const names = new Map([first, second, third].map(({ cron_id }, at) => [cron_id, at + 1]));
  const found = async (body: object): Promise<unknown[]> =>
    ((await ask('POST', '/runs/crons/search', body)).body as Shown[]).map(({ cron_id: id }) =>
      names.get(id),
    );
  const order = { sort_by: 'cron_id', sort_order: 'asc' };
  expect(await found(order)).toEqual([1, 2, 3]);
  expect(await found({ ...order, limit: 1, offset: 1 })).toEqual([2]);
  expect(await found({ sort_by: 'end_time' })).toEqual([3, expect.any(Number), expect.any(Number)]);
  expect(await found({ metadata: { team: 'b' } })).toEqual([2]);
  expect(await found({ ...order, enabled: true, assistant_id: 'echo' })).toEqual([1, 3]);
  expect(await found({ thread_id: 't' })).toEqual([]);
  expect((await ask('POST', '/runs/crons/count', { metadata: { team: 'a' } })).body).toBe(1);
  const selected = await ask('POST', '/runs/crons/search', { limit: 1, select: ['schedule'] });
  expect(selected.body).toEqual([{ schedule: expect.any(String) as string }]);
});

it('deletes a cron', async () => {
  const { cron_id: id } = await make();
  expect((await ask('DELETE', `/runs/crons/${id}`)).status).toBe(204);
  for (const [method, gone, body] of [
    ['GET', id],
    ['DELETE', unknown],
    ['PATCH', 'x%00', {}],
  ] as const) {
    const response = await ask(method, `/runs/crons/${gone}`, body);
    expect(response).toMatchObject({ status: 404, body: { code: 'cron_not_found' } });
  }
});

it.each([
  [{ schedule: '* * * * * *' }, 422, 'invalid_request'],
  [{ schedule: undefined }, 422, 'invalid_request'],
  [{ timezone: 'Mars/Olympus' }, 422, 'invalid_request'],
  [{ end_time: 'tomorrow' }, 422, 'invalid_request'],
  [{ assistant_id: undefined }, 422, 'invalid_request'],
  [{ assistant_id: 'nobodys' }, 404, 'agent_not_found'],
  [{ assistant_id: unknown }, 404, 'assistant_not_found'],
  [{ on_run_completed: 'burn' }, 422, 'invalid_request'],
])('refuses %j', async (body, status, code) => {
  const refused = await ask('POST', '/runs/crons', { ...yearly, ...body });
  expect(refused).toMatchObject({ status, body: { code } });
});

it('makes one run of each of its times, on a thread of its own', async () => {
  const { cron_id: id } = await make({ input: { n: 1 }, metadata: { team: 'a' } });
  await fire(id, 1);
  await fire(id, 1);
  await fire(id, 2);
  const [first, again, second] = runs;
  expect(again?.run.runUuid).toBe(first?.run.runUuid);
  expect(second?.threadId).not.toBe(first?.threadId);
  expect(first?.run).toMatchObject({
    start: { kind: 'input', json: '{"n":1}' },
    metadata: { team: 'a', cron_id: id },
    principal: { sub: 'anonymous' },
  });
  expect((await ask('POST', '/threads/search', {})).body).toEqual([]);
});

it('keeps the threads of its runs when it is to', async () => {
  const { cron_id: id } = await make({ on_run_completed: 'keep' });
  await fire(id, 1);
  await fire(id, 1);
  expect((await ask('POST', '/threads/search', {})).body).toMatchObject([
    { metadata: { cron_id: id } },
  ]);
  expect(runs).toHaveLength(1);
});

it('makes runs of its thread, one after the other', async () => {
  await call(`${service.url}/threads`, 'POST', { thread_id: 't' });
  const made = await ask('POST', '/threads/t/runs/crons', { ...yearly, input: {} });
  const { cron_id: id } = made.body as Shown;
  await Promise.all([fire(id, 1), fire(id, 1)]);
  await fire(id, 2);
  await fire(id, 1);
  const listed = (await ask('GET', '/threads/t/runs')).body as object[];
  expect(listed).toHaveLength(2);
  await call(`${service.url}/threads/t`, 'DELETE');
  await expect(fire(id, 3)).rejects.toMatchObject({ code: 'thread_not_found' });
});

it('runs an assistant as it is then', async () => {
  const assistant = await ask('POST', '/assistants', {
    graph_id: 'echo',
    config: { configurable: { model: 'small' } },
  });
  const { assistant_id: assistantId } = assistant.body as { assistant_id: string };
  const { cron_id: id } = await make({ assistant_id: assistantId });
  await ask('PATCH', `/assistants/${assistantId}`, { config: { configurable: { model: 'big' } } });
  await fire(id);
  expect(runs[0]?.run).toMatchObject({ config: { configurable: { model: 'big' } } });
  await ask('DELETE', `/assistants/${assistantId}`);
  await expect(fire(id, 1)).rejects.toMatchObject({ code: 'assistant_not_found' });
});
