import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReadStatesRequest } from '../src/wire.ts';
import { runRequest, startGuest, type GuestProcess } from './guest-process.ts';
import { startMemoryHost, type MemoryHost } from './memory-host.ts';

interface State {
  values: { n?: number };
  next: string[];
  tasks: { name: string; error: string | null; interrupts: unknown[]; state: State | null }[];
  checkpoint: { checkpoint_id?: string } | null;
  parent_checkpoint: object | null;
  interrupts: { value: unknown }[];
}

describe('states with what runs next', () => {
  let host: MemoryHost;
  let guest: GuestProcess;
  let calls = 0;

  beforeAll(async () => {
    host = await startMemoryHost();
    const names = ['counting', 'asking', 'failing', 'nested', 'configured'];
    guest = await startGuest(
      host,
      Object.fromEntries(names.map((name) => [name, `./editing.ts:${name}`])),
    );
  });
  afterAll(async () => {
    await guest.kill();
    await host.close();
  });

  async function run(agentId: string, threadId: string, input: object) {
    calls += 1;
    const request = { agentId, inputJson: JSON.stringify(input) };
    return guest.invoke(runRequest(threadId, `s${calls}`, request));
  }

  async function states(
    agentId: string,
    threadId: string,
    rest: Partial<ReadStatesRequest> = {},
  ): Promise<State[]> {
    calls += 1;
    const configJson = JSON.stringify({ configurable: { thread_id: threadId } });
    const request = { token: `read-${calls}`, threadId, agentId, configJson, ...rest };
    const { statesJson, error } = await guest.readStates(request);
    expect(error).toBeNull();
    return statesJson.map((json) => JSON.parse(json) as State);
  }

  it('are empty without a checkpoint', async () => {
    const [state] = await states('counting', 's-empty');
    expect(state).toMatchObject({ next: [], tasks: [] });
    expect(state?.checkpoint).not.toHaveProperty('checkpoint_id');
  });

  it('show a question with its task', async () => {
    await run('asking', 's-ask', { n: 1 });
    const [state] = await states('asking', 's-ask');
    expect(state?.next).toEqual(['ask']);
    const asking = state?.tasks.find(({ name }) => name === 'ask');
    expect(asking?.interrupts).toEqual(state?.interrupts);
    expect(state?.interrupts).toHaveLength(1);
  });

  it('name the nodes of the graph that was made for the newest run', async () => {
    const inputJson = '{"n":1}';
    const configJson = JSON.stringify({ configurable: { thread_id: 's-made', node: 'mine' } });
    const more = { agentId: 'configured', inputJson, configJson, interruptBefore: ['mine'] };
    await guest.invoke(runRequest('s-made', 's-made', more));
    const factoryConfigurableJson = '{"node":"mine"}';
    const [state] = await states('configured', 's-made', { factoryConfigurableJson });
    expect(state?.next).toEqual(['mine']);
  });

  it('show a failure with its task', async () => {
    await run('failing', 's-fail', { n: 1 });
    const [state] = await states('failing', 's-fail');
    expect(state?.tasks.some(({ error }) => error !== null)).toBe(true);
  });

  it('are read as a history, in parts', async () => {
    await run('counting', 's-history', { n: 1 });
    const whole = await states('counting', 's-history', { history: 10 });
    expect(whole.at(-1)?.next).toEqual(['__start__']);
    expect(whole[0]?.next).toEqual([]);
    expect(whole.map(({ parent_checkpoint: parent }) => parent)).toEqual([
      ...whole.slice(1).map(({ checkpoint }) => checkpoint),
      null,
    ]);
    const beforeCheckpointId = whole[1]?.checkpoint?.checkpoint_id ?? '';
    const older = await states('counting', 's-history', { history: 1, beforeCheckpointId });
    expect(older).toEqual([whole[2]]);
  });

  it('report that an agent is unknown', async () => {
    const result = await guest.readStates({ token: 'none', threadId: 's', agentId: 'nobody' });
    expect(result.error?.code).toBe('agent_not_found');
  });

  it('come beside events of what runs, when a run streams them', async () => {
    const request = {
      agentId: 'counting',
      inputJson: '{"n":1}',
      streamModes: ['events', 'values'],
    };
    const { chunks, end } = await guest.invoke(runRequest('s-events', 'events', request));
    const events = chunks
      .filter(({ mode }) => mode === 'events')
      .map(({ json }) => JSON.parse(json) as { event: string; name: string });
    expect(events[0]).toMatchObject({ event: 'on_chain_start' });
    expect(events.at(-1)).toMatchObject({ event: 'on_chain_end', name: events[0]?.name });
    expect(chunks.some(({ mode }) => mode === 'values')).toBe(true);
    expect(end.status).toBe('completed');
  });
});
