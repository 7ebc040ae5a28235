// Starts a guest, once for all: which objects are alive is its process's. Takes three seconds.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectJson } from '../src/json-projection.ts';
import type { CallModelRequest } from '../src/wire.ts';
import { runRequest, startGuest, type GuestProcess } from './guest-process.ts';
import { startMemoryHost, type MemoryHost } from './memory-host.ts';

const question = [{ type: 'human', content: 'Bern?' }];
const cold = { model: 'echo-1', temperature: 0.1 };

interface Asked extends Partial<CallModelRequest> {
  messages?: unknown[];
  recorded?: object;
  params?: object;
}

function asked({ messages = question, recorded = cold, params = recorded, ...rest }: Asked = {}) {
  return {
    agentId: 'models',
    name: 'EchoModel',
    model: '',
    messagesJson: projectJson(messages),
    recordedParamsJson: projectJson(recorded),
    paramsJson: projectJson(params),
    ...rest,
  };
}

describe('a chat model that is called outside of its runs', () => {
  let host: MemoryHost;
  let guest: GuestProcess;

  beforeAll(async () => {
    host = await startMemoryHost();
    guest = await startGuest(host, {
      models: './models.ts:graph',
      passing: './models.ts:passing',
      made: './models.ts:factory',
      broken: './broken.ts:graph',
    });
  });
  afterAll(async () => {
    await guest.kill();
    await host.close();
  });

  const contentOf = async (request: Asked): Promise<string> => {
    const { outputJson, error } = await guest.callModel(asked(request)).response;
    expect(error).toBeNull();
    return (JSON.parse(outputJson) as { content: string }).content; // the agent's own
  };

  it('responds to a recorded call as it did in its run, with what was bound', async () => {
    const start = { agentId: 'models', inputJson: projectJson({ messages: question }) };
    const { end, chunks } = await guest.invoke(
      runRequest('t', 'r', { ...start, streamModes: ['trace'] }),
    );
    const events = chunks.map(({ json }) => JSON.parse(json) as Record<string, unknown>);
    const span = events.find(({ kind }) => kind === 'model');
    const request = asked({
      messages: span?.['input'] as unknown[],
      recorded: span?.['params'] as object,
      name: span?.['name'] as string,
    });
    const response = await guest.callModel(request).response;
    expect(response).toMatchObject({ error: null, usageJson: expect.stringContaining('10') });
    expect(response.latencyMs).toBeGreaterThan(0);
    const output = JSON.parse(end.outputJson) as { messages: { content: string }[] }; // the agent's own
    const content = output.messages.at(-1)?.content;
    expect(JSON.parse(response.outputJson)).toMatchObject({ content });
    expect(content).toMatch(/^cold: .*"look".*"END"/);
  });

  it('is the object with the same parameters', async () => {
    expect(await contentOf({})).toMatch(/^cold: /);
    expect(await contentOf({ recorded: { ...cold, temperature: 0.7 } })).toMatch(/^warm: /);
    // An agent may give another name to the call.
    expect(await contentOf({ name: 'model' })).toMatch(/^cold: /);
  });

  it('gets changed messages and parameters, as options or as another object of its class', async () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      ...question,
      { type: 'ai', content: '', tool_calls: [{ id: 'c', name: 'look', args: {} }] },
      { type: 'tool', content: 'sunny', tool_call_id: 'c' },
    ];
    const content = await contentOf({ messages, params: { ...cold, temperature: 1, seed: 3 } });
    expect(JSON.parse(content.replace('cold: ', ''))).toEqual([
      [
        ['system', 'Be brief.'],
        ['human', 'Bern?'],
        ['ai', ''],
        ['tool', 'sunny'],
      ],
      { model: 'echo-1', temperature: 1, seed: 3 },
    ]);
    expect(await contentOf({})).toContain('0.1');
  });

  it('prints as no run', async () => {
    await contentOf({ messages: [{ type: 'human', content: 'no run' }] });
    const line = await guest.logSeen(({ text }) => text === 'asked for no run');
    expect(line.run_id).toMatch(/^model-call-/);
  });

  it('may be made with the graph', async () => {
    const made = { agentId: 'made', name: 'MadeModel', recorded: { ...cold, temperature: 0 } };
    expect(await contentOf(made)).toMatch(/^made: /);
  });

  it.each([
    [{ name: 'NodesModel', recorded: {} }, 'model_not_found', 'gone when'],
    [{ agentId: 'nothing' }, 'agent_not_found', 'nothing'],
    [{ agentId: 'broken' }, 'agent_not_loaded', ''],
    [{ messages: [{ type: 'human', content: 'fail' }] }, 'agent_error', 'no credit left'],
    [{ messages: [{ type: 'novel', content: 'x' }] }, 'invalid_request', 'messages.0 is no'],
    [{ params: { ...cold, colour: 'red' } }, 'invalid_request', 'does not take "red" as colour'],
  ])('is refused: %j', async (request, code, sentence) => {
    const { error } = await guest.callModel(asked(request)).response;
    expect(error).toMatchObject({ code, message: expect.stringContaining(sentence) });
  });

  it('ends when the host cancels the call', async () => {
    const recorded = { ...cold, temperature: 0.5 };
    const { response, cancel } = guest.callModel(asked({ name: 'SlowModel', recorded }));
    await guest.logSeen(({ text }) => text === 'waiting');
    cancel();
    await expect(response).rejects.toThrow('CANCELLED');
    await guest.logSeen(({ text }) => text === 'left');
  });
});
