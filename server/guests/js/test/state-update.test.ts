import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckpointMessage, InvokeRequest, UpdateStateRequest } from '../src/wire.ts';
import { runRequest, startGuest, type GuestProcess } from './guest-process.ts';
import { startMemoryHost, type MemoryHost } from './memory-host.ts';

const graphs = [
  'counting',
  'parallel',
  'asking',
  'askingTwice',
  'failing',
  'sending',
  'nested',
  'branching',
  'configured',
];

describe('a change of the state between runs', () => {
  let host: MemoryHost;
  let guest: GuestProcess;
  let calls = 0;

  beforeAll(async () => {
    host = await startMemoryHost();
    const editing = graphs.map((name) => [name, `./editing.ts:${name}`]);
    const agents = {
      ...Object.fromEntries(editing),
      chat: './chat.ts:graph',
      delta: './delta.ts:graph',
    };
    guest = await startGuest(host, agents, { maxMessageBytes: 1024 * 1024 });
  });
  afterAll(async () => {
    await guest.kill();
    await host.close();
  });

  /** Runs to the end; without input it continues. */
  async function run(agentId: string, threadId: string, rest: Partial<InvokeRequest> = {}) {
    calls += 1;
    const start = rest.inputJson === undefined && rest.commandJson === undefined;
    const request = { agentId, ...(start ? { proceed: true } : {}), ...rest };
    const wanted = runRequest(threadId, `r${calls}`, request);
    const { end, chunks } = await guest.invoke(wanted);
    const output = (end.outputJson === '' ? {} : JSON.parse(end.outputJson)) as {
      n?: number;
      log?: string[];
      __interrupt__?: { id: string }[];
    };
    return { end, output, chunks };
  }

  function update(
    agentId: string,
    threadId: string,
    values: unknown,
    rest: Partial<UpdateStateRequest> & { at?: Record<string, string> } = {},
  ) {
    calls += 1;
    const { at, ...more } = rest;
    return guest.updateState({
      token: `update-${calls}`,
      threadId,
      agentId,
      valuesJson: JSON.stringify(values),
      configJson: JSON.stringify({ configurable: { thread_id: threadId, ...at } }),
      ...more,
    });
  }

  async function set(...args: Parameters<typeof update>): Promise<Record<string, unknown>> {
    const { error, valuesJson } = await update(...args);
    expect(error).toBeNull();
    return JSON.parse(valuesJson) as Record<string, unknown>; // an object by the contract
  }

  function head(threadId: string): CheckpointMessage {
    const found = host.checkpoints.history(threadId).at(-1);
    if (found === undefined) throw new Error(`${threadId} has no checkpoint.`);
    return found;
  }

  function waiting(threadId: string): { id: string; value: unknown }[] {
    return head(threadId).writes.flatMap(({ channel, json }) =>
      channel === '__interrupt__'
        ? (JSON.parse(json ?? '[]') as { id: string; value: unknown }[])
        : [],
    );
  }

  it('sets a key whatever its reducer', async () => {
    await run('counting', 'u-set', { inputJson: '{"n":1}' });
    const parent = head('u-set');
    expect(await set('counting', 'u-set', { log: ['mine'], n: 5 })).toEqual({
      n: 5,
      log: ['mine'],
    });
    expect(head('u-set').parentCheckpointId).toBe(parent.checkpointId);
    const metadata: unknown = JSON.parse(head('u-set').metadataJson);
    expect(metadata).toMatchObject({ source: 'update' });
    expect(metadata).not.toHaveProperty('run_id');
  });

  it.each(['parallel', 'chat'])('merges messages whatever their reducer (%s)', async (agent) => {
    const threadId = `u-messages-${agent}`;
    await set(agent, threadId, { messages: [{ role: 'user', content: 'hi', id: 'm1' }] });
    const state = await set(agent, threadId, {
      messages: [
        { type: 'ai', content: 'hello', id: 'm2' },
        { type: 'human', content: 'hi there', id: 'm1' },
      ],
    });
    expect(state['messages']).toMatchObject([
      { type: 'human', content: 'hi there', id: 'm1' },
      { type: 'ai', content: 'hello', id: 'm2' },
    ]);
    const left = await set(agent, threadId, { messages: [{ type: 'remove', id: 'm1' }] });
    expect(left['messages']).toMatchObject([{ id: 'm2' }]);
    expect(left['messages']).toHaveLength(1);
  });

  it('sets a delta channel', async () => {
    await run('delta', 'u-delta', { inputJson: '{"messages":[{"role":"user","content":"a"}]}' });
    const state = await set('delta', 'u-delta', { messages: [{ role: 'user', content: 'b' }] });
    expect(state['messages']).toHaveLength(3);
    const next = await run('delta', 'u-delta', { inputJson: '{"messages":[]}' });
    expect(next.output).toMatchObject({
      messages: [{}, {}, { content: 'b' }, { content: 'answer 3' }],
    });
  });

  it('names an unknown key with the known ones', async () => {
    const { error } = await update('counting', 'u-unknown', { n: 1, m: 2 });
    expect(error).toMatchObject({
      code: 'invalid_request',
      message: "The agent's state has no key 'm'; it has file, log, messages, n.",
    });
    expect(host.checkpoints.history('u-unknown')).toEqual([]);
  });

  it('refuses values that are no object, and messages that are none', async () => {
    const noObject = await update('counting', 'u-bad', [1]);
    expect(noObject.error).toMatchObject({
      code: 'invalid_request',
      message: 'The values are not an object.',
    });
    const noMessage = await update('chat', 'u-bad', { messages: [{ a: 1 }] });
    expect(noMessage.error).toMatchObject({ code: 'agent_error' });
  });

  it.each([
    [3, 'small'],
    [30, 'large'],
  ])('enters an empty thread as by an input (%s)', async (n, node) => {
    expect(await set('branching', `u-enter-${n}`, { n })).toMatchObject({ n });
    expect((await run('branching', `u-enter-${n}`)).output.log).toEqual([`${node} ${n}`]);
  });

  it('leaves a finished thread finished', async () => {
    await run('counting', 'u-finished', { inputJson: '{"n":1}' });
    await set('counting', 'u-finished', { n: 7 });
    expect((await run('counting', 'u-finished')).output).toEqual({ n: 7, log: ['one', 'two'] });
    const again = await run('counting', 'u-finished', { inputJson: '{"n":1}' });
    expect(again.output.n).toBe(20);
  });

  it('leaves what runs next as it is', async () => {
    await run('parallel', 'u-next', { inputJson: '{"n":1}', interruptAfter: ['left', 'right'] });
    await set('parallel', 'u-next', { n: 2 });
    expect((await run('parallel', 'u-next')).output.log).toEqual([
      'left 1',
      'right 1',
      'after_left 2',
      'after_right 2',
      'both 2',
    ]);
  });

  it('leaves a question, and the result beside it', async () => {
    const asked = await run('asking', 'u-ask', { inputJson: '{"n":1}' });
    await set('asking', 'u-ask', { n: 2 });
    await set('asking', 'u-ask', { n: 3 });
    const [question] = waiting('u-ask');
    expect(question?.value).toBe('ask?');
    expect(question?.id).not.toBe(asked.output.__interrupt__?.[0]?.id);
    const commandJson = JSON.stringify({ resume: { [question?.id ?? '']: 'yes' } });
    const { log = [] } = (await run('asking', 'u-ask', { commandJson })).output;
    // What has run keeps its result, what asked sees the new values.
    expect(log.slice(0, 2).toSorted()).toEqual(['done 1', 'yes 3']);
    expect(log.slice(2)).toEqual(['end 3']);
  });

  it('leaves the answers that were given so far', async () => {
    await run('askingTwice', 'u-twice', { inputJson: '{"n":1}' });
    await run('askingTwice', 'u-twice', { commandJson: '{"resume":"a"}' });
    await set('askingTwice', 'u-twice', { n: 2 });
    const done = await run('askingTwice', 'u-twice', { commandJson: '{"resume":"b"}' });
    expect(done.output.log).toEqual(['a b 2']);
  });

  it('lets a failed thread continue where it failed', async () => {
    const file = join(host.directory, 'there');
    if (existsSync(file)) rmSync(file);
    const inputJson = JSON.stringify({ n: 1, file });
    expect((await run('failing', 'u-fail', { inputJson })).end.status).toBe('error');
    await set('failing', 'u-fail', { n: 2 });
    writeFileSync(file, '');
    expect((await run('failing', 'u-fail')).output.log).toEqual([
      'first 1',
      'done 1',
      'fail_first 2',
    ]);
  });

  it('leaves sends', async () => {
    await run('sending', 'u-send', { inputJson: '{"n":0}' });
    await set('sending', 'u-send', { n: 9 });
    const answers = waiting('u-send').map(({ id, value }) => [id, `answer ${String(value)}`]);
    expect(answers).toHaveLength(2);
    const commandJson = JSON.stringify({ resume: Object.fromEntries(answers) });
    const done = await run('sending', 'u-send', { commandJson });
    expect(done.output.log).toEqual(['start 0', '1:answer 1', '2:answer 2']);
  });

  it('leaves a question in a sub-graph', async () => {
    await run('nested', 'u-nested', { inputJson: '{"n":1}' });
    await set('nested', 'u-nested', { n: 2 });
    const [question] = waiting('u-nested');
    const done = await run('nested', 'u-nested', {
      commandJson: JSON.stringify({ resume: { [question?.id ?? '']: 'yes' } }),
      streamModes: ['updates'],
      streamSubgraphs: true,
    });
    // The sub-graph continues inside, with its own values.
    const nodes = done.chunks.flatMap(({ json }) => Object.keys(JSON.parse(json) as object));
    expect(nodes).toEqual(['ask', 'inner', 'middle']);
    expect(done.output.log).toEqual(['before 1', 'yes 1']);
  });

  it('reaches a sub-graph by its namespace', async () => {
    await run('nested', 'u-inside', { inputJson: '{"n":1}' });
    const namespaces = host.writes.flatMap((write) =>
      'save' in write && write.save.threadId === 'u-inside' ? [write.save.checkpointNs] : [],
    );
    const ns = namespaces.find((name) => name.includes('|inner:')) ?? '';
    await set('nested', 'u-inside', { n: 5 }, { at: { checkpoint_ns: ns } });
    const done = await run('nested', 'u-inside', { commandJson: '{"resume":"yes"}' });
    expect(done.output.log).toEqual(['before 1', 'yes 5']);
  });

  it('writes upon an older checkpoint', async () => {
    await run('counting', 'u-older', { inputJson: '{"n":1}' });
    const id = host.checkpoints.history('u-older').at(-2)?.checkpointId ?? '';
    const state = await set('counting', 'u-older', { n: 3 }, { at: { checkpoint_id: id } });
    expect(state['log']).toEqual(['one']);
    expect(head('u-older').parentCheckpointId).toBe(id);
    expect((await run('counting', 'u-older')).output.n).toBe(30);
  });

  it('continues from a node that is named', async () => {
    await run('counting', 'u-node', { inputJson: '{"n":1}' });
    await set('counting', 'u-node', { n: 3 }, { asNode: 'one' });
    expect((await run('counting', 'u-node')).output.n).toBe(30);
    await set('counting', 'u-node', { n: 4 }, { asNode: 'one' });
    await set('counting', 'u-node', { n: 5 }, { asNode: '__end__' });
    expect((await run('counting', 'u-node')).output.n).toBe(5);
    const { error } = await update('counting', 'u-node', {}, { asNode: 'no' });
    expect(error).toMatchObject({
      code: 'invalid_request',
      message: "The agent has no node 'no'.",
    });
  });

  it("is LangGraph's own when it is plain", async () => {
    await run('counting', 'u-plain', { inputJson: '{"n":1}' });
    const change = { n: 3, log: ['mine'] };
    const state = await set('counting', 'u-plain', change, { asNode: 'one', plain: true });
    expect(state).toEqual({ n: 3, log: ['one', 'two', 'mine'] });
    expect((await run('counting', 'u-plain')).output.n).toBe(30);
    await set('parallel', 'u-plain-empty', { n: 1 }, { plain: true });
  });

  it('says whether a node is next', async () => {
    await run('counting', 'u-next', { inputJson: '{"n":1}' });
    const after = async (asNode: string) =>
      (await update('counting', 'u-next', { n: 3 }, { asNode, plain: true })).hasNext;
    expect([await after('one'), await after('two')]).toEqual([true, false]);
  });

  it("takes LangGraph's own supersteps", async () => {
    const steps = [
      [{ values: { n: 1 }, as_node: '__input__' }],
      [{ values: { n: 1 }, as_node: '__start__' }],
      [{ values: { n: 7, log: ['mine'] }, as_node: 'one' }],
    ];
    const superstepsJson = JSON.stringify(steps);
    const state = await set('counting', 'u-steps', null, { plain: true, superstepsJson });
    expect(state).toEqual({ n: 7, log: ['mine'] });
    expect((await run('counting', 'u-steps')).output.n).toBe(70);
    expect(host.checkpoints.history('u-steps').length).toBeGreaterThanOrEqual(3);
  });

  it('makes the graph as it was made for the newest run, which leaves no trace in the checkpoint', async () => {
    const configurable = { node: 'mine', thread_id: 'another' };
    const rest = {
      plain: true,
      asNode: 'mine',
      factoryConfigurableJson: JSON.stringify(configurable),
    };
    expect(await set('configured', 'u-made', { log: ['x'] }, rest)).toEqual({ log: ['x'] });
    expect(head('u-made').metadataJson).not.toContain('mine');
    const unknown = { ...rest, factoryConfigurableJson: '' };
    expect(await update('configured', 'u-made', {}, unknown)).toMatchObject({
      error: { code: 'agent_error', message: expect.stringContaining('"mine"') as unknown },
    });
  });

  it('loads nothing when the host sends the head along', async () => {
    await run('asking', 'u-head', { inputJson: '{"n":1}' });
    const before = host.loads.length;
    const state = await set(
      'asking',
      'u-head',
      { n: 2 },
      { headKnown: true, head: head('u-head') },
    );
    expect(state['n']).toBe(2);
    expect(host.loads.slice(before)).toEqual([]);
    const token = `update-${calls}`;
    const kinds = host.writes
      .filter((write) => write.token === token)
      .map((write) => 'save' in write);
    expect(kinds).toEqual([true, false, false]);
  });

  it('sends nothing that is too large', async () => {
    const { error } = await update('counting', 'u-large', { log: ['x'.repeat(1_100_000)] });
    expect(error).toMatchObject({ code: 'checkpoint_too_large' });
    expect(error?.message).toContain('"log"');
    expect(host.checkpoints.history('u-large')).toEqual([]);
  });
});
