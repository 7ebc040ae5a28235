import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@langchain/langgraph-sdk';
import { v5 as uuidv5 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCompatService, type CompatService } from '../fixtures/compat-service.ts';
import { deferred } from '../fixtures/deferred.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import { testPython } from '../fixtures/durable-service.ts';

let service: CompatService;
let client: Client;
beforeAll(async () => {
  service = await startCompatService();
  client = new Client({ apiUrl: service.apiUrl, apiKey: null });
});
afterAll(() => service.stop());

const human = (content: string) => ({ messages: [{ role: 'user', content }] });

/** A body that breaks off after so many bytes, once they are read. */
function cutAfter(bytes: number, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let left = bytes;
  return new ReadableStream(
    {
      async pull(controller) {
        if (left <= 0) {
          controller.error(new TypeError('fetch failed'));
          return reader.cancel();
        }
        const { done, value } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(value.subarray(0, left));
        left -= value.byteLength;
      },
    },
    // Asked for more only when everything before has been taken.
    { highWaterMark: 0 },
  );
}

interface Talk {
  messages: { type: string; content: string }[];
  notes: string[];
  answer?: unknown;
  __interrupt__?: { id: string; value: unknown }[];
}

/** What the agents have in their state. */
const talkOf = (values: unknown) => values as Talk;

async function collect(stream: AsyncIterable<{ event: string; data: unknown; id?: string }>) {
  const events: { event: string; data: unknown; id?: string }[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

it('has an assistant for each agent, with the id that LangGraph Server gives it', async () => {
  const found = await client.assistants.search();
  expect(found.map(({ graph_id: graph }) => graph)).toEqual(['talk_py', 'talk_ts']);
  const id = uuidv5('talk_py', '6ba7b821-9dad-11d1-80b4-00c04fd430c8');
  expect(await client.assistants.get(id)).toMatchObject({ graph_id: 'talk_py', version: 1 });
  expect(await client.assistants.count({ graphId: 'talk_ts' })).toBe(1);
  expect((await client.assistants.getSchemas(id)).input_schema).toHaveProperty('properties');
  const graph = await client.assistants.getGraph('talk_py', { xray: true });
  expect(graph.nodes.map(({ id: node }) => node)).toContain('nest:inside');
  expect(Object.keys(await client.assistants.getSubgraphs(id))).toEqual(['nest']);
  await expect(client.assistants.create({ graphId: 'talk_py' })).rejects.toThrow(/manifest/);
  await expect(client.assistants.get('nobody')).rejects.toThrow(/nobody/);
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

it('says of what it does not have that it has not', async () => {
  await expect(client.crons.search()).rejects.toThrow(/no crons/);
  const { thread_id: thread } = await client.threads.create();
  const hook = { input: human('hi'), webhook: 'http://localhost/hook' };
  await expect(client.runs.create(thread, 'talk_py', hook)).rejects.toThrow(/no webhooks/);
  await expect(client.threads.create({ ttl: 5 })).rejects.toThrow(/ttl cannot be kept/);
});

it('keeps items in the store of the agents', async () => {
  await client.store.putItem(['users', '1'], 'theme', { dark: true, size: 3 });
  expect(await client.store.getItem(['users', '1'], 'theme')).toMatchObject({
    namespace: ['users', '1'],
    value: { dark: true, size: 3 },
  });
  const found = await client.store.searchItems(['users'], { filter: { size: { $gt: 2 } } });
  expect(found.items.map(({ key }) => key)).toEqual(['theme']);
  expect(await client.store.listNamespaces({ prefix: ['users'] })).toEqual({
    namespaces: [['users', '1']],
  });
  await client.store.deleteItem(['users', '1'], 'theme');
  expect(await client.store.getItem(['users', '1'], 'theme')).toBeNull();
});

it("serves LangGraph's client for Python", { timeout: 120_000 }, async () => {
  const program = fileURLToPath(new URL('../fixtures/compat-client.py', import.meta.url));
  const run = promisify(execFile);
  const { stdout } = await run(testPython(), [program, service.apiUrl], { timeout: 110_000 });
  expect(stdout.trim().split('\n').at(-1)).toBe('done');
});

describe.each(['talk_py', 'talk_ts'])('%s', (agent) => {
  async function thread(): Promise<string> {
    return (await client.threads.create({ metadata: { for: 'test' } })).thread_id;
  }

  it('runs on a thread, whose runs and states are there afterwards', async () => {
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

  it('streams in the modes of LangGraph Server', async () => {
    const threadId = await thread();
    let created: unknown;
    const stream = client.runs.stream(threadId, agent, {
      input: human('hi'),
      streamMode: [
        'values',
        'updates',
        'messages-tuple',
        'custom',
        'tasks',
        'checkpoints',
        'debug',
      ],
      onRunCreated: (run) => (created = run),
    });
    const events = await collect(stream);
    expect(events[0]).toMatchObject({ event: 'metadata', data: { attempt: 1 } });
    expect(created).toEqual({
      ...(events[0]?.data as object),
      attempt: undefined,
      thread_id: threadId,
    });
    expect(events.at(-1)?.event).toBe('end');
    const names = new Set(events.map(({ event }) => event));
    for (const name of [
      'values',
      'updates',
      'messages',
      'custom',
      'tasks',
      'checkpoints',
      'debug',
    ]) {
      expect(names).toContain(name);
    }
    const texts = events
      .filter(({ event }) => event === 'messages')
      .map(({ data }) => (data as [{ content: string }, object])[0].content);
    expect(texts.join('')).toBe('all is well');
    const checkpoint = events.find(({ event }) => event === 'checkpoints');
    expect(checkpoint?.data).toMatchObject({ checkpoint: { thread_id: threadId } });
  });

  it('streams messages that grow', async () => {
    const payload = { input: human('hi'), streamMode: 'messages' as const };
    const events = await collect(client.runs.stream(null, agent, payload));
    expect(events[1]?.event).toBe('messages/metadata');
    const partial = events.filter(({ event }) => event === 'messages/partial');
    const last = partial.at(-1)?.data as { content: string }[];
    expect(last[0]?.content).toBe('all is well');
  });

  it('streams the events of everything that runs', async () => {
    const payload = { input: human('hi'), streamMode: ['events' as const, 'values' as const] };
    const events = await collect(client.runs.stream(null, agent, payload));
    const told = events.filter(({ event }) => event === 'events');
    const names = told.map(({ data }) => (data as { event: string }).event);
    expect([names[0], names.at(-1)]).toEqual(['on_chain_start', 'on_chain_end']);
    expect(names).toContain('on_chat_model_stream');
    expect(events.filter(({ event }) => event === 'values')).toHaveLength(2);
  });

  it('streams sub-graphs by their namespace', async () => {
    const payload = { input: { wish: 'nest' }, streamMode: 'updates' as const };
    const events = await collect(
      client.runs.stream(null, agent, { ...payload, streamSubgraphs: true }),
    );
    const inner = events.find(({ event }) => event.startsWith('updates|nest:'));
    expect(inner?.data).toEqual({ inside: { notes: ['inside'] } });
  });

  it('stops with a question, tells it in its state, and goes on with the answer', async () => {
    const threadId = await thread();
    const asked = talkOf(await client.runs.wait(threadId, agent, { input: { wish: 'ask' } }));
    const [question] = asked.__interrupt__ ?? [];
    expect(question?.value).toEqual({ question: 'Go on?' });
    const state = await client.threads.getState(threadId);
    expect(state.next).toEqual(['ask']);
    expect(state.tasks).toMatchObject([{ name: 'ask', interrupts: [question], error: null }]);
    expect(await client.threads.get(threadId)).toMatchObject({
      status: 'interrupted',
      interrupts: { [question?.id ?? '']: [question] },
    });
    const command = { resume: 'yes' };
    const values = talkOf(await client.runs.wait(threadId, agent, { command }));
    expect([values.answer, values.notes]).toEqual(['yes', ['ask', 'reply']]);
    expect((await client.threads.getState(threadId)).next).toEqual([]);
  });

  it('takes another state for the work of a node, also of an older checkpoint', async () => {
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
    const values = talkOf(await client.runs.wait(threadId, agent, { input: null }));
    expect(values.notes).toEqual(['inside', 'mine', 'reply']);

    await client.threads.updateState(threadId, {
      values: { notes: ['other'] },
      asNode: 'wait',
      ...(before?.checkpoint && { checkpoint: before.checkpoint }),
    });
    expect(talkOf((await client.threads.getState(threadId)).values).notes).toEqual(['other']);
  });

  it('breaks before a node, and runs from a checkpoint', async () => {
    const threadId = await thread();
    await client.runs.wait(threadId, agent, { input: human('hi'), interruptBefore: ['reply'] });
    const stopped = await client.threads.getState(threadId);
    expect(stopped.next).toEqual(['reply']);
    await client.runs.wait(threadId, agent, { input: null });
    const again = { input: null, checkpointId: stopped.checkpoint?.checkpoint_id ?? '' };
    const values = talkOf(await client.runs.wait(threadId, agent, again));
    expect(values.notes).toEqual(['reply']);
  });

  it('fails with the exception of the agent', async () => {
    const threadId = await thread();
    const input = { wish: 'fail' };
    await expect(client.runs.wait(threadId, agent, { input })).rejects.toThrow(/no such wish/);
    const events = await collect(client.runs.stream(threadId, agent, { input }));
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { message: 'no such wish' } });
    expect((await client.threads.getState(threadId)).tasks[0]?.error).toContain('no such wish');
  });

  it('is cancelled, and followed by who comes later', async () => {
    const threadId = await thread();
    const run = await client.runs.create(threadId, agent, {
      input: { wish: 'wait', seconds: 60 },
      streamMode: ['values', 'updates'],
    });
    const followed: string[] = [];
    const following = (async () => {
      for await (const { event } of client.runs.joinStream(threadId, run.run_id)) {
        followed.push(event);
      }
    })();
    await waitUntil('the first values', 30_000, () => followed.includes('values'));
    const [running] = await client.runs.list(threadId, { status: 'running' });
    expect(running?.run_id).toBe(run.run_id);
    await client.runs.cancel(threadId, run.run_id, true);
    expect((await client.runs.get(threadId, run.run_id)).status).toBe('interrupted');
    await following;
    expect(followed).toEqual(['metadata', 'values', 'end']);
    const late = await collect(client.runs.joinStream(threadId, run.run_id, { lastEventId: '-1' }));
    expect(late.map(({ event }) => event)).toEqual(['metadata', 'values', 'end']);
  });

  it('is followed on its thread, run after run', async () => {
    const threadId = await thread();
    const leave = new AbortController();
    const opened = deferred();
    const follower = new Client({
      apiUrl: service.apiUrl,
      apiKey: null,
      callerOptions: {
        fetch: (url: string, init?: RequestInit) => fetch(url, init).finally(opened.resolve),
      },
    });
    const names: string[] = [];
    const following = (async () => {
      const { signal } = leave;
      for await (const { event, data } of follower.threads.joinStream(threadId, { signal })) {
        names.push(event);
        const isDone = (data as { status?: string } | null)?.status === 'run_done';
        if (isDone && names.filter((name) => name === 'end').length === 2) leave.abort();
      }
    })();
    await opened.promise;
    await client.runs.wait(threadId, agent, { input: { wish: 'wait', seconds: 1.2 } });
    await client.runs.wait(threadId, agent, { input: { wish: 'wait', seconds: 1.2 } });
    await following.catch((error: unknown) => {
      if (!leave.signal.aborted) throw error;
    });
    expect(names.filter((name) => name === 'end')).toHaveLength(2);
    expect(names).toContain('values');
  });

  it('is followed without gap or repetition by a client whose connection breaks', async () => {
    let cuts = 0;
    const breaking = new Client({
      apiUrl: service.apiUrl,
      apiKey: null,
      callerOptions: {
        fetch: async (url: string, init?: RequestInit) => {
          const response = await fetch(url, init);
          if (cuts > 1 || response.body === null) return response;
          cuts += 1;
          const { status, headers } = response;
          return new Response(cutAfter(cuts * 400, response.body), { status, headers });
        },
      },
    });
    const streamMode: ['values', 'messages-tuple'] = ['values', 'messages-tuple'];
    const threadId = await thread();
    const stream = breaking.runs.stream(threadId, agent, { input: human('hi'), streamMode });
    const events = (await collect(stream)).filter(({ event }) => event !== 'metadata');
    expect(cuts).toBeGreaterThan(1);
    const ids = events.map(({ id }) => Number(id));
    expect(new Set(ids).size).toBe(ids.length);
    const texts = events
      .filter(({ event }) => event === 'messages')
      .map(({ data }) => (data as [{ content: string }, object])[0].content);
    expect(texts.join('')).toBe('all is well');
    expect(events.at(-1)?.event).toBe('end');
  });

  it('makes a thread for a run, when that is wished', async () => {
    const threadId = crypto.randomUUID();
    const input = { wish: 'nest' };
    await expect(client.runs.wait(threadId, agent, { input })).rejects.toThrow(/thread_not_found/);
    await client.runs.wait(threadId, agent, { input, ifNotExists: 'create' });
    const copy = (await client.threads.copy(threadId)) as unknown as { thread_id: string }; // says void
    const state = await client.threads.getState(copy.thread_id);
    expect(talkOf(state.values).notes).toEqual(['inside']);
  });

  it('runs without a thread, also many at once', async () => {
    const values = talkOf(await client.runs.wait(null, agent, { input: { wish: 'nest' } }));
    expect(values.notes).toEqual(['inside']);
    const one = { assistantId: agent, input: { wish: 'nest' } };
    const runs = await client.runs.createBatch([one, one]);
    expect(new Set(runs.map(({ thread_id: id }) => id)).size).toBe(2);
  });
});
