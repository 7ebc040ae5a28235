/** LangGraph's own clients against the service: assistants, threads, states, store and runs without streams. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Cron } from '@langchain/langgraph-sdk';
import { v5 as uuidv5 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { collect } from '../fixtures/collect.ts';
import { compatClient, compatUrl, human, talkOf } from '../fixtures/compat-client.ts';
import { testPython } from '../fixtures/durable-service.ts';
import { releaseUnless, serviceAgents } from '../fixtures/shared-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const client = compatClient();

it('has an assistant for each agent, with the id that LangGraph Server gives it', async () => {
  const manifest: unknown = JSON.parse(await readFile(join(serviceAgents, 'agent.json'), 'utf8'));
  const { graphs } = manifest as { graphs: object };
  const found = await client.assistants.search({ limit: 100 });
  expect(found.map(({ graph_id: graph }) => graph)).toEqual(Object.keys(graphs));
  const id = uuidv5('talk_py', '6ba7b821-9dad-11d1-80b4-00c04fd430c8');
  expect(await client.assistants.get(id)).toMatchObject({ graph_id: 'talk_py', version: 1 });
  expect(await client.assistants.count({ graphId: 'talk_ts' })).toBe(1);
  expect((await client.assistants.getSchemas(id)).input_schema).toHaveProperty('properties');
  const graph = await client.assistants.getGraph('talk_py', { xray: true });
  expect(graph.nodes.map(({ id: node }) => node)).toContain('nest:inside');
  expect(Object.keys(await client.assistants.getSubgraphs(id))).toEqual(['nest']);
  await expect(client.assistants.update(id, { name: 'other' })).rejects.toThrow(/manifest/);
  await expect(client.assistants.get('missing')).rejects.toThrow(/missing/);
});

it('finds threads by metadata, by graph and by status, with their states', async () => {
  const project = crypto.randomUUID();
  const { thread_id: threadId } = await client.threads.create({ metadata: { project } });
  await client.runs.wait(threadId, 'talk_ts', { input: { wish: 'ask' } });
  await client.threads.create({ metadata: { project } });
  const status = 'interrupted';
  const { assistant_id: assistant } = await client.assistants.get('talk_ts');
  for (const named of [{ graph_id: 'talk_ts' }, { assistant_id: assistant }, {}]) {
    const metadata = { project, ...named };
    await waitUntil('the thread in the search', 20_000, async () => {
      return (await client.threads.search({ metadata, status })).length === 1;
    });
    const [found] = await client.threads.search({ metadata, status });
    expect(found).toMatchObject({ thread_id: threadId, status, values: { wish: 'ask' } });
    expect(Object.keys(found?.interrupts ?? {})).toHaveLength(1);
  }
  expect(await client.threads.search({ metadata: { project, graph_id: 'talk_py' } })).toEqual([]);
  await waitUntil('both threads in the search', 20_000, async () => {
    return (await client.threads.count({ metadata: { project } })) === 2;
  });
  const select: ['thread_id'] = ['thread_id'];
  expect(await client.threads.search({ ids: [threadId], select })).toEqual([
    { thread_id: threadId },
  ]);
  await expect(client.threads.search({ values: { wish: 'ask' } })).rejects.toThrow(/metadata/);
});

it('lets runs go before one that is for later', async () => {
  const { thread_id: thread } = await client.threads.create();
  const create = (content: string, more: object = {}) =>
    client.runs.create(thread, 'talk_py', { input: human(content), ...more });
  const gone = await create('gone', { afterSeconds: 3_600 });
  const later = await create('later', { afterSeconds: 2, multitaskStrategy: 'rollback' });
  expect([gone.status, later.status]).toEqual(['pending', 'pending']);
  const now = await create('now');
  await client.runs.join(thread, now.run_id);
  await client.runs.join(thread, later.run_id);
  const messages = talkOf((await client.threads.getState(thread)).values).messages;
  const words = messages.filter(({ type }) => type === 'human').map(({ content }) => content);
  expect(words).toEqual(['now', 'later']);
  const { updated_at: end, created_at: start } = await client.runs.get(thread, later.run_id);
  expect(Date.parse(end) - Date.parse(start)).toBeGreaterThanOrEqual(2_000);
  await expect(client.runs.get(thread, gone.run_id)).rejects.toThrow(/404/);

  const begun = Date.now();
  const alone = { input: human('alone'), afterSeconds: 1 };
  expect(talkOf(await client.runs.wait(null, 'talk_py', alone)).messages).toHaveLength(2);
  expect(Date.now() - begun).toBeGreaterThanOrEqual(1_000);
});

it('responds for what it does not have that it has not', async () => {
  const { thread_id: thread } = await client.threads.create();
  const hook = { input: human('hi'), webhook: 'http://localhost/hook' };
  await expect(client.runs.create(thread, 'talk_py', hook)).rejects.toThrow(/webhooks\.allow/);
  await expect(client.threads.create({ ttl: 5 })).rejects.toThrow(/ttl cannot be kept/);
});

it('keeps crons', async () => {
  const yearly = { schedule: '0 0 1 1 *', input: human('hi'), metadata: { suite: 'compat' } };
  const made = await client.crons.create('talk_py', { ...yearly, timezone: 'Europe/Berlin' });
  const { thread_id: thread } = await client.threads.create();
  const onThread = await client.crons.createForThread(thread, 'talk_py', yearly);
  expect(onThread).toMatchObject({ thread_id: thread, schedule: '0 0 1 1 *' });
  const cronIds = [made, onThread].map((cron) => (cron as unknown as Cron).cron_id);
  const [first = '', second = ''] = cronIds; // the client's type is that of a run
  const off = await client.crons.update(first, { enabled: false });
  expect(off).toMatchObject({ enabled: false, next_run_date: null, timezone: 'Europe/Berlin' });
  const found = await client.crons.search({ metadata: { suite: 'compat' }, sortBy: 'cron_id' });
  expect(found.map(({ cron_id: id }) => id).toSorted()).toEqual(cronIds.toSorted());
  expect(await client.crons.search({ threadId: thread, select: ['thread_id'] })).toEqual([
    { thread_id: thread },
  ]);
  await Promise.all([client.crons.delete(first), client.crons.delete(second)]);
  expect(await client.crons.count({ metadata: { suite: 'compat' } })).toBe(0);
});

it('makes the runs of crons, every minute', { tags: 'release' }, async () => {
  const { thread_id: thread } = await client.threads.create();
  const made = await client.crons.createForThread(thread, 'talk_py', {
    schedule: '* * * * *',
    input: human('on time'),
  });
  const { cron_id: id } = made as unknown as Cron; // the client's type is that of a run
  const done = (runs: { status: string }[]) => runs.some(({ status }) => status === 'success');
  await waitUntil('its first run', 90_000, async () => done(await client.runs.list(thread)));
  await client.crons.delete(id);
  const [run] = await client.runs.list(thread);
  expect(run).toMatchObject({ metadata: { cron_id: id } });
  expect(Date.parse(run?.created_at ?? '') % 60_000).toBeLessThan(10_000);
});

it('keeps items in the store of the agents', async () => {
  await client.store.putItem(['users', '1'], 'theme', { dark: true, size: 3 }, { index: ['dark'] });
  expect(await client.store.getItem(['users', '1'], 'theme')).toMatchObject({
    namespace: ['users', '1'],
    value: { dark: true, size: 3 },
  });
  // Without an index, `index` and `query` have no effect.
  const query = { filter: { size: { $gt: 2 } }, query: 'colours' };
  const found = await client.store.searchItems(['users'], query);
  expect(found.items).toMatchObject([{ key: 'theme', score: null }]);
  expect(await client.store.listNamespaces({ prefix: ['users'] })).toEqual({
    namespaces: [['users', '1']],
  });
  await client.store.deleteItem(['users', '1'], 'theme');
  expect(await client.store.getItem(['users', '1'], 'theme')).toBeNull();
});

it("serves LangGraph's client for Python", { timeout: 120_000 }, async () => {
  const program = fileURLToPath(new URL('../fixtures/compat-client.py', import.meta.url));
  const run = promisify(execFile);
  const { stdout } = await run(testPython(), [program, compatUrl()], { timeout: 110_000 });
  expect(stdout.trim().split('\n').at(-1)).toBe('done');
});

describe.each(['talk_py', 'talk_ts'])('%s', (agent) => {
  const py = releaseUnless(agent === 'talk_py');
  const ts = releaseUnless(agent === 'talk_ts');

  async function thread(): Promise<string> {
    return (await client.threads.create({ metadata: { for: 'test' } })).thread_id;
  }

  it('runs on a thread, whose runs and states exist afterwards', py, async () => {
    const threadId = await thread();
    expect(await client.threads.getState(threadId)).toMatchObject({ checkpoint: null, next: [] });
    const values = talkOf(await client.runs.wait(threadId, agent, { input: human('hi') }));
    expect(values.messages.map(({ content }) => content)).toEqual(['hi', 'all is well']);
    const [run] = await client.runs.list(threadId);
    expect(run).toMatchObject({ status: 'success', thread_id: threadId });
    expect(await client.runs.join(threadId, run?.run_id ?? '')).toEqual(values);
    expect(await client.threads.get(threadId)).toMatchObject({
      status: 'idle',
      metadata: { for: 'test', graph_id: agent },
      values,
    });
    const history = await client.threads.getHistory(threadId);
    expect(history.map(({ next }) => next)).toEqual([[], ['reply'], ['__start__']]);
    expect(history[0]?.parent_checkpoint).toEqual(history[1]?.checkpoint);
    const early = await client.threads.getState(threadId, history[1]?.checkpoint);
    expect([early.next, talkOf(early.values).messages.length]).toEqual([['reply'], 1]);
    await client.runs.delete(threadId, run?.run_id ?? '');
    await client.threads.delete(threadId);
    await expect(client.threads.get(threadId)).rejects.toThrow(/thread_not_found/);
  });

  it('stops with a question, has it in its state, and continues with the answer', ts, async () => {
    const threadId = await thread();
    const asked = talkOf(await client.runs.wait(threadId, agent, { input: { wish: 'ask' } }));
    const [question] = asked.__interrupt__ ?? [];
    expect(question?.value).toEqual({ question: 'Go on?' });
    const state = await client.threads.getState(threadId);
    expect(state.next).toEqual(['ask']);
    expect(state.tasks).toMatchObject([{ name: 'ask', interrupts: [question], error: null }]);
    expect(await client.threads.get(threadId)).toMatchObject({
      status: 'interrupted',
      interrupts: { [state.tasks[0]?.id ?? '']: [question] },
    });
    const command = { resume: 'yes' };
    const values = talkOf(await client.runs.wait(threadId, agent, { command }));
    expect([values.answer, values.notes]).toEqual(['yes', ['ask', 'reply']]);
    expect((await client.threads.getState(threadId)).next).toEqual([]);
  });

  it('takes another state for the work of a node, also of an older checkpoint', py, async () => {
    const threadId = await thread();
    await client.runs.wait(threadId, agent, { input: { wish: 'nest' } });
    const [, before] = await client.threads.getHistory(threadId);
    const mine = { values: { notes: ['mine'] }, asNode: 'wait' };
    const made = await client.threads.updateState(threadId, mine);
    const state = await client.threads.getState(threadId);
    expect([state.next, state.checkpoint?.checkpoint_id]).toEqual([
      ['reply'],
      made.configurable?.['checkpoint_id'],
    ]);
    expect(talkOf(state.values).notes).toEqual(['inside', 'mine']);
    expect((await client.threads.get(threadId)).status).toBe('interrupted');
    const values = talkOf(await client.runs.wait(threadId, agent, { input: null }));
    expect(values.notes).toEqual(['inside', 'mine', 'reply']);

    await client.threads.updateState(threadId, {
      values: { notes: ['other'] },
      asNode: 'wait',
      ...(before?.checkpoint && { checkpoint: before.checkpoint }),
    });
    expect(talkOf((await client.threads.getState(threadId)).values).notes).toEqual(['other']);
    await client.threads.updateState(threadId, { values: null, asNode: '__end__' });
    expect((await client.threads.get(threadId)).status).toBe('idle');
  });

  it('breaks before a node, and runs from a checkpoint', ts, async () => {
    const threadId = await thread();
    await client.runs.wait(threadId, agent, { input: human('hi'), interruptBefore: ['reply'] });
    const stopped = await client.threads.getState(threadId);
    expect(stopped.next).toEqual(['reply']);
    await client.runs.wait(threadId, agent, { input: null });
    const again = { input: null, checkpointId: stopped.checkpoint?.checkpoint_id ?? '' };
    const values = talkOf(await client.runs.wait(threadId, agent, again));
    expect(values.notes).toEqual(['reply']);
  });

  it('fails with the exception of the agent', py, async () => {
    const threadId = await thread();
    const input = { wish: 'fail' };
    await expect(client.runs.wait(threadId, agent, { input })).rejects.toThrow(/no such wish/);
    const events = await collect(client.runs.stream(threadId, agent, { input }));
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { message: 'no such wish' } });
    expect((await client.threads.getState(threadId)).tasks[0]?.error).toContain('no such wish');
  });

  it('makes a thread for a run, when that is wished', ts, async () => {
    const threadId = crypto.randomUUID();
    const input = { wish: 'nest' };
    await expect(client.runs.wait(threadId, agent, { input })).rejects.toThrow(/thread_not_found/);
    await client.runs.wait(threadId, agent, { input, ifNotExists: 'create' });
    const copy = (await client.threads.copy(threadId)) as unknown as { thread_id: string }; // is typed as void
    const state = await client.threads.getState(copy.thread_id);
    expect(talkOf(state.values).notes).toEqual(['inside']);
    const [history, copied] = await Promise.all(
      [threadId, copy.thread_id].map((id) => client.threads.getHistory(id)),
    );
    expect(copied?.map(({ values, next }) => [values, next])).toEqual(
      history?.map(({ values, next }) => [values, next]),
    );
  });

  it('runs without a thread, also many at once', py, async () => {
    const values = talkOf(await client.runs.wait(null, agent, { input: { wish: 'nest' } }));
    expect(values.notes).toEqual(['inside']);
    const one = { assistantId: agent, input: { wish: 'nest' } };
    const runs = await client.runs.createBatch([one, one]);
    expect(new Set(runs.map(({ thread_id: id }) => id)).size).toBe(2);
  });
});
