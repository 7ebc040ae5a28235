import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InvokeRequest } from '../src/wire.ts';
import { runRequest, startGuest, type GuestProcess } from './guest-process.ts';
import { startMemoryHost, type MemoryHost } from './memory-host.ts';

const human = {
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', 'HumanMessage'],
  kwargs: { content: 'hi' },
};
const model = {
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'utils', 'testing', 'FakeListChatModel'],
  kwargs: { responses: ['a'] },
};
const looksLikeObjects = { a: [human, { model }], b: { lc: 1, type: 'secret', id: ['PATH'] } };

describe('what looks like a LangChain object', () => {
  let host: MemoryHost;
  let guest: GuestProcess;
  let calls = 0;

  beforeAll(async () => {
    host = await startMemoryHost();
    guest = await startGuest(host, {
      given: './given.ts:graph',
      asking: './given.ts:asking',
      chat: './chat.ts:graph',
    });
  });
  afterAll(async () => {
    await guest.kill();
    await host.close();
  });

  async function run(agentId: string, thread: string, rest: Partial<InvokeRequest>) {
    calls += 1;
    const { end } = await guest.invoke(runRequest(thread, `run-${calls}`, { agentId, ...rest }));
    expect(end.error?.message).toBeUndefined();
    return JSON.parse(end.outputJson || 'null') as Record<string, unknown>;
  }

  async function values(agentId: string, threadId: string): Promise<Record<string, unknown>> {
    calls += 1;
    const configJson = JSON.stringify({ configurable: { thread_id: threadId } });
    const request = { token: `read-${calls}`, threadId, agentId, configJson };
    const { statesJson, error } = await guest.readStates(request);
    expect(error).toBeNull();
    return (JSON.parse(statesJson[0] ?? '') as { values: Record<string, unknown> }).values;
  }

  it('is data in an input, also for a later run', async () => {
    const inputJson = JSON.stringify({ given: looksLikeObjects });
    const { kinds } = await run('given', 'g-input', { inputJson });
    expect(kinds).toEqual(['Object', 'Array']);
    const later = await run('given', 'g-input', { inputJson: '{}' });
    expect(later['kinds']).toEqual(['Object', 'Array']);
    expect((await values('given', 'g-input'))['given']).toEqual(looksLikeObjects);
  });

  it('is data in an answer', async () => {
    await run('asking', 'g-answer', { inputJson: '{}' });
    const commandJson = JSON.stringify({ resume: looksLikeObjects });
    const { kinds } = await run('asking', 'g-answer', { commandJson });
    expect(kinds).toEqual(['Object', 'Array']);
    expect((await values('asking', 'g-answer'))['given']).toEqual(looksLikeObjects);
  });

  it.each([false, true])('is data in a change of the state (plain: %s)', async (plain) => {
    const threadId = `g-update-${plain}`;
    await run('given', threadId, { inputJson: '{}' });
    const configJson = JSON.stringify({ configurable: { thread_id: threadId } });
    const valuesJson = JSON.stringify({ given: looksLikeObjects });
    const request = { token: threadId, threadId, agentId: 'given', configJson, valuesJson, plain };
    expect((await guest.updateState(request)).error).toBeNull();
    expect((await values('given', threadId))['given']).toEqual(looksLikeObjects);
    expect((await run('given', threadId, { inputJson: '{}' }))['kinds']).toEqual([
      'Object',
      'Array',
    ]);
  });

  it('is a message where the schema asks for messages', async () => {
    const messages = [human, { role: 'user', content: 'b' }, { type: 'human', content: 'c' }];
    const output = await run('chat', 'g-chat', { inputJson: JSON.stringify({ messages }) });
    expect(output['messages']).toMatchObject([
      { type: 'human', content: 'hi' },
      { type: 'human', content: 'b' },
      { type: 'human', content: 'c' },
      { type: 'ai', content: 'answer 3' },
    ]);
  });

  it('is data in a forged checkpoint, unless it is a message', async () => {
    await run('given', 'g-forged', { inputJson: '{"given":1}' });
    const data = new TextEncoder().encode(JSON.stringify([model, human]));
    for (const { blobs } of host.checkpoints.history('g-forged')) {
      for (const blob of blobs) {
        if (blob.channel === 'given') blob.value = { tag: 'json', data };
      }
    }
    expect((await values('given', 'g-forged'))['given']).toMatchObject([model, { type: 'human' }]);
    const { kinds } = await run('given', 'g-forged', { inputJson: '{}' });
    expect(kinds).toEqual(['Array', 'Object', 'HumanMessage']);
    const copied = host.checkpoints
      .history('g-forged')
      .at(-1)
      ?.blobs.find(({ channel }) => channel === 'copied');
    expect(JSON.parse(new TextDecoder().decode(copied?.value?.data))).toMatchObject([model, human]);
  });

  it('is an error where a checkpoint belongs', async () => {
    await run('given', 'g-broken', { inputJson: '{}' });
    const head = host.checkpoints.history('g-broken').at(-1);
    if (head?.skeleton) head.skeleton.data = new TextEncoder().encode('[1]');
    const configJson = '{"configurable":{"thread_id":"g-broken"}}';
    const request = { token: 'broken', threadId: 'g-broken', agentId: 'given', configJson };
    const { error } = await guest.readStates(request);
    expect([error?.code, error?.message]).toEqual([
      'agent_error',
      "The stored checkpoint is not one of LangGraph's.",
    ]);
  });
});
