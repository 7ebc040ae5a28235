import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InvokeRequest, ReadStatesRequest } from '../src/wire.ts';
import { agentFolder } from './agent-environment.ts';
import { runRequest, startGuest, type GuestProcess } from './guest-process.ts';
import { startMemoryHost, type MemoryHost } from './memory-host.ts';
import { spansOf, tracedAgents, traceCases } from './trace-cases.ts';

/** With what was current then: the oldest and the newest release of each line. */
const releases = [
  ['@langchain/langgraph@0.4.0', '@langchain/core@0.3.58', 'zod@3.25.32'],
  ['@langchain/langgraph@0.4.10', '@langchain/core@0.3', 'zod@3'],
  [
    '@langchain/langgraph@1.0.0',
    '@langchain/core@1.0.1',
    '@langchain/langgraph-checkpoint@1.0.0',
    'zod@3',
  ],
];
/** The middle of each line, and the newest release of all. That of the development environment is in every other test. */
const others = [
  ['@langchain/langgraph@0.4.4', '@langchain/core@0.3', 'zod@3'],
  ['@langchain/langgraph@1.2.9', '@langchain/core@1', 'zod@4'],
  ['@langchain/langgraph', '@langchain/core', 'zod'],
];
const agents = {
  counting: './editing.ts:counting',
  asking: './editing.ts:asking',
  askingTwice: './editing.ts:askingTwice',
  nested: './editing.ts:nested',
  chat: './chat.ts:graph',
  calling: './calling.ts:graph',
  memory: './memory.ts:graph',
  fail: './fail.ts:graph',
  given: './given.ts:graph',
};
const served = {
  ...agents,
  ...Object.fromEntries(
    Object.entries(tracedAgents).map(([agent, path]) => [`traced_${agent}`, path]),
  ),
};
const installMs = 300_000;

interface State {
  values: Record<string, unknown>;
  next: string[];
  interrupts: { id: string; value: unknown }[];
}

// Each makes an environment (ten seconds without caches) and starts a guest for it.
describe.each(releases)('agents with %s', { tags: 'release' }, (...packages) => {
  theSame(packages);
});
describe.each(others)('agents at night with %s', { tags: 'nightly' }, (...packages) => {
  theSame(packages);
});

it(
  'a release before them is the error of its agents',
  { tags: 'nightly', timeout: installMs },
  async () => {
    const sourceDir = await agentFolder(['@langchain/langgraph@0.2.8', '@langchain/core@0.3']);
    const host = await startMemoryHost();
    const guest = await startGuest(host, { counting: agents.counting }, { sourceDir });
    const [described] = await guest.describe();
    await guest.kill();
    await host.close();
    const sentence = '@langchain/langgraph 0.2.8; 0.4 or newer is needed. ';
    expect(described?.error?.message).toContain(sentence);
  },
);

function theSame(packages: readonly string[]): void {
  let host: MemoryHost;
  let guest: GuestProcess;
  let calls = 0;

  beforeAll(async () => {
    const sourceDir = await agentFolder(packages);
    host = await startMemoryHost();
    guest = await startGuest(host, served, { sourceDir });
  }, installMs);
  afterAll(async () => {
    await guest.kill();
    await host.close();
  });

  async function run(agentId: keyof typeof agents, thread: string, rest: Partial<InvokeRequest>) {
    calls += 1;
    const { end, chunks } = await guest.invoke(
      runRequest(thread, `run-${calls}`, { agentId, ...rest }),
    );
    const of = (mode: string): Record<string, unknown>[] =>
      chunks
        .filter((chunk) => chunk.mode === mode)
        .map(({ json }) => JSON.parse(json) as object as never);
    return { end, of, output: JSON.parse(end.outputJson || 'null') as Record<string, unknown> };
  }

  async function state(agentId: string, threadId: string, rest: Partial<ReadStatesRequest> = {}) {
    calls += 1;
    const configJson = JSON.stringify({ configurable: { thread_id: threadId } });
    const request = { token: `read-${calls}`, threadId, agentId, configJson, ...rest };
    const { statesJson, error } = await guest.readStates(request);
    expect(error).toBeNull();
    return statesJson.map((json) => JSON.parse(json) as State);
  }

  async function edit(agentId: string, threadId: string, values: object): Promise<unknown> {
    calls += 1;
    const configJson = JSON.stringify({ configurable: { thread_id: threadId } });
    const valuesJson = JSON.stringify(values);
    const request = { token: `edit-${calls}`, threadId, agentId, configJson, valuesJson };
    const result = await guest.updateState(request);
    expect(result.error).toBeNull();
    return JSON.parse(result.valuesJson);
  }

  it('are loaded and described', async () => {
    const described = await guest.describe({ schemas: true, graph: true });
    expect(described.map(({ error }) => error)).toEqual(Object.keys(served).map(() => null));
    const { inputSchemaJson = '', graphJson = '' } = described[0] ?? {};
    const properties = (JSON.parse(inputSchemaJson) as { properties: object }).properties;
    expect(Object.keys(properties)).toEqual(['messages', 'n', 'log', 'file']);
    const { nodes } = JSON.parse(graphJson) as { nodes: { id: string }[] };
    expect(nodes.map(({ id }) => id)).toEqual(['__start__', 'one', 'two', '__end__']);
  });

  it('run and stream', async () => {
    const streamModes = ['values', 'updates', 'tasks', 'checkpoints', 'debug', 'events'];
    const { end, of, output } = await run('counting', 't-count', {
      inputJson: '{"n":1}',
      streamModes,
    });
    expect([end.status, output]).toEqual(['completed', { n: 20, log: ['one', 'two'] }]);
    expect(of('updates')).toEqual([
      { one: { n: 2, log: ['one'] } },
      { two: { n: 20, log: ['two'] } },
    ]);
    expect(of('values').at(-1)).toEqual(output);
    const ends = of('tasks').filter(({ event }) => event === 'end');
    expect(ends.map(({ result }) => result)).toEqual([
      { n: 2, log: ['one'] },
      { n: 20, log: ['two'] },
    ]);
    for (const mode of ['checkpoints', 'debug', 'events']) expect(of(mode)).not.toEqual([]);
    for (const durability of ['sync', 'async', 'exit']) {
      const kept = await run('counting', `t-${durability}`, { inputJson: '{"n":1}', durability });
      expect(kept.end.status).toBe('completed');
      const [head] = await state('counting', `t-${durability}`);
      expect(head?.values).toEqual({ n: 20, log: ['one', 'two'] });
    }
  });

  it('ask and continue', async () => {
    const asked = await run('askingTwice', 't-ask', { inputJson: '{"n":1}' });
    expect(asked.end.status).toBe('interrupted');
    const [waiting] = await state('askingTwice', 't-ask');
    expect(waiting).toMatchObject({ next: ['ask_twice'], interrupts: [{ value: 'first?' }] });
    const again = await run('askingTwice', 't-ask', { commandJson: '{"resume":"a"}' });
    const [question] = JSON.parse(again.end.interruptsJson) as { id: string; value: string }[];
    expect(question?.value).toBe('second?');
    const answer = { resume: { [question?.id ?? '']: 'b' } };
    const done = await run('askingTwice', 't-ask', { commandJson: JSON.stringify(answer) });
    expect(done.output).toMatchObject({ log: ['a b 1'] });
    const history = await state('askingTwice', 't-ask', { history: 10 });
    expect(history.map(({ next }) => next)).toEqual([[], ['ask_twice'], ['__start__']]);
  });

  it('ask in a sub-graph of a sub-graph', async () => {
    const asked = await run('nested', 't-nested', { inputJson: '{"n":1}', streamSubgraphs: true });
    expect(asked.end.status).toBe('interrupted');
    const done = await run('nested', 't-nested', { commandJson: '{"resume":"yes"}' });
    expect([done.end.status, done.output['log']]).toEqual(['completed', ['before 1', 'yes 1']]);
  });

  it('speak, call models and tools, and use the store', async () => {
    const hello = { messages: [{ type: 'human', content: 'Paris', id: 'h1' }] };
    const inputJson = JSON.stringify(hello);
    const chat = await run('chat', 't-chat', { inputJson, streamModes: ['messages'] });
    expect(chat.output['messages']).toMatchObject([{ type: 'human' }, { type: 'ai' }]);
    expect(chat.of('messages')).not.toEqual([]);
    const called = await run('calling', 't-call', { inputJson, streamModes: ['calls'] });
    expect(new Set(called.of('calls').map(({ kind }) => kind))).toEqual(new Set(['model', 'tool']));
    const { output } = await run('memory', 't-memory', { inputJson: '{}', storeEnabled: true });
    expect(output['report']).toMatchObject({
      item: { name: 'red', liked: true },
      liked: ['color'],
    });
  });

  it.each(traceCases)('report $reports', async ({ agent, status, spans }) => {
    calls += 1;
    const { end, chunks } = await guest.invoke(
      runRequest(`t-traced-${agent}`, `run-${calls}`, {
        agentId: `traced_${agent}`,
        inputJson: '{"n":1}',
        streamModes: ['trace'],
      }),
    );
    expect(end.status).toBe(status);
    expect(spansOf(chunks)).toEqual(spans);
  });

  it('are edited', async () => {
    await run('counting', 't-edit', { inputJson: '{"n":1}' });
    const values = { n: 5, log: ['mine'] };
    expect(await edit('counting', 't-edit', values)).toEqual(values); // with any reducer
    // What has run keeps its result, what asked sees the new values and is answered by its new id.
    await run('asking', 't-carry', { inputJson: '{"n":1}' });
    await edit('asking', 't-carry', { n: 3 });
    const [waiting] = await state('asking', 't-carry');
    const answer = { resume: { [waiting?.interrupts[0]?.id ?? '']: 'yes' } };
    const done = await run('asking', 't-carry', { commandJson: JSON.stringify(answer) });
    expect((done.output['log'] as string[]).toSorted()).toEqual(['done 1', 'end 3', 'yes 3']);
    // Removals are distinguished by what LangChain of that release takes.
    const messages = [
      { type: 'human', content: 'a', id: 'm1' },
      { type: 'human', content: 'b', id: 'm2' },
    ];
    await edit('chat', 't-remove', { messages });
    const left = await edit('chat', 't-remove', { messages: [{ type: 'remove', id: 'm1' }] });
    expect(left).toMatchObject({ messages: [{ id: 'm2' }] });
  });

  it('make messages of what is stored, and nothing else', async () => {
    const secret = { lc: 1, type: 'secret', id: ['PATH'] };
    const record = (path: string, content: unknown): object => {
      const id = ['langchain_core', ...path.split('.')];
      return { lc: 1, type: 'constructor', id, kwargs: { content } };
    };
    const given = [record('messages.HumanMessage', 'a'), secret];
    const sent = await run('given', 't-given', { inputJson: JSON.stringify({ given }) });
    expect(sent.output).toMatchObject({ given, copied: given, kinds: ['Array', 'Object'] });
    const forged = [
      record('messages.HumanMessage', [secret, record('messages.AIMessage', 'b')]),
      record('utils.testing.FakeListChatModel', 'c'),
    ];
    const data = new TextEncoder().encode(JSON.stringify(forged));
    for (const { blobs } of host.checkpoints.history('t-given')) {
      for (const blob of blobs) if (blob.channel === 'given') blob.value = { tag: 'json', data };
    }
    const [read] = await state('given', 't-given');
    expect(read?.values['given']).toMatchObject([{ type: 'human' }, forged[1]]);
    expect(JSON.stringify(read)).not.toContain(process.env['PATH']);
    const { kinds } = (await run('given', 't-given', { inputJson: '{}' })).output;
    expect(kinds).toEqual(expect.arrayContaining(['HumanMessage', 'AIMessage', 'Object']));
    expect(kinds).not.toContain('FakeListChatModel');
  });

  it('fail with the error of their node', async () => {
    const { end } = await run('fail', 't-fail', { inputJson: '{}' });
    expect(end).toMatchObject({ status: 'error', error: { code: 'agent_error' } });
  });
}
