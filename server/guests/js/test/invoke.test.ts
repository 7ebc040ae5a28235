import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRequest, startGuest, type GuestProcess } from './guest-process.ts';
import { startMemoryHost, type MemoryHost } from './memory-host.ts';

const allModes = ['values', 'updates', 'messages', 'custom'];

describe('a run', () => {
  let host: MemoryHost;
  let guest: GuestProcess;

  beforeAll(async () => {
    host = await startMemoryHost();
    guest = await startGuest(host, {
      noop: './noop.ts:graph',
      chat: './chat.ts:graph',
      fail: './fail.ts:graph',
      narrow: './narrow.ts:graph',
      twoSteps: './two-steps.ts:graph',
      nested: './nested.ts:graph',
      memory: './memory.ts:graph',
    });
  });
  afterAll(async () => {
    await guest.kill();
    await host.close();
  });

  it('completes with what invoke returns, and streams the modes that were asked for', async () => {
    const request = { agentId: 'noop', inputJson: '{"count":1}', streamModes: allModes };
    const { end, chunks } = await guest.invoke(runRequest('t-noop', 'r-noop', request));
    expect(end).toMatchObject({ status: 'completed', outputJson: '{"count":2}', error: null });
    expect(chunks.map(({ mode, ns, json }) => [mode, ns, json])).toEqual([
      ['values', '', '{"count":1}'],
      ['updates', '', '{"step":{"count":2}}'],
      ['values', '', '{"count":2}'],
    ]);
  });

  it('sends nothing that was not asked for', async () => {
    const request = { agentId: 'noop', inputJson: '{"count":1}', streamModes: ['updates'] };
    const { end, chunks } = await guest.invoke(runRequest('t-quiet', 'r-quiet', request));
    expect(chunks.map(({ mode }) => mode)).toEqual(['updates']);
    expect(end.outputJson).toBe('{"count":2}');
  });

  it('keeps the output to the output schema while the stream shows the state', async () => {
    const request = { agentId: 'narrow', inputJson: '{"question":"why"}', streamModes: ['values'] };
    const { end, chunks } = await guest.invoke(runRequest('t-narrow', 'r-narrow', request));
    expect(JSON.parse(end.outputJson)).toEqual({ answer: 'why!' });
    expect(JSON.parse(chunks.at(-1)?.json ?? '')).toEqual({
      question: 'why',
      notes: 'a lot',
      answer: 'why!',
    });
  });

  it('streams messages in the form of LangGraph, and remembers them in the next run', async () => {
    const first = { agentId: 'chat', streamModes: allModes };
    const message = (text: string) =>
      JSON.stringify({ messages: [{ role: 'user', content: text }] });
    const one = await guest.invoke(
      runRequest('t-chat', 'r-chat-1', { ...first, inputJson: message('hi') }),
    );
    const tokens = one.chunks.filter(({ mode }) => mode === 'messages');
    const parsed = tokens.map(({ json }) => JSON.parse(json) as { message: { content: string } }); // our own form
    expect(parsed.map(({ message: { content } }) => content).join('')).toBe('answer 1');
    expect(parsed[0]).toMatchObject({
      message: { type: 'ai' },
      metadata: { langgraph_node: 'reply' },
    });
    expect(tokens.every(({ ns }) => ns === '')).toBe(true);

    const two = await guest.invoke(
      runRequest('t-chat', 'r-chat-2', { ...first, inputJson: message('again') }),
    );
    expect(JSON.parse(two.end.outputJson)).toMatchObject({
      messages: [
        { type: 'human', content: 'hi' },
        { type: 'ai', content: 'answer 1' },
        { type: 'human', content: 'again' },
        { type: 'ai', content: 'answer 3' },
      ],
    });
  });

  it('ends with the agent error: class, message, node and traceback', async () => {
    const request = { agentId: 'fail', inputJson: '{"text":""}' };
    const { end } = await guest.invoke(runRequest('t-fail', 'r-fail', request));
    expect(end).toMatchObject({
      status: 'error',
      error: {
        code: 'agent_error',
        message: 'no paper in tray 2',
        type: 'OutOfPaper',
        node: 'print',
      },
    });
    expect(end.error?.traceback).toMatch(/fail\.ts:\d+/);
    expect(end.error?.traceback).toContain('Caused by: Error: tray sensor');
  });

  it('ends with an error for an unknown agent, and for a durability that LangGraph would ignore', async () => {
    const unknown = await guest.invoke(runRequest('t-x', 'r-x1', { agentId: 'nobody' }));
    expect(unknown.end.error?.code).toBe('agent_not_found');
    const durability = { agentId: 'noop', inputJson: '{}', durability: 'eventually' };
    const wrong = await guest.invoke(runRequest('t-x', 'r-x2', durability));
    expect(wrong.end.error?.code).toBe('invalid_request');
  });

  it('stops at breakpoints as interrupted without interrupts, and proceeds from there', async () => {
    const stop = { agentId: 'twoSteps', inputJson: '{"count":0}', interruptBefore: ['two'] };
    const { end } = await guest.invoke(runRequest('t-break', 'r-break-1', stop));
    expect(end).toMatchObject({ status: 'interrupted', interruptsJson: '[]' });
    const on = { agentId: 'twoSteps', proceed: true, streamModes: ['updates'] };
    const after = await guest.invoke(runRequest('t-break', 'r-break-2', on));
    expect(after.end).toMatchObject({ status: 'completed', outputJson: '{"count":2}' });
    expect(after.chunks.map(({ json }) => json)).toEqual(['{"two":{"count":2}}']);
  });

  it('names the events of sub-graphs when they are wanted, and reads their checkpoints back', async () => {
    const request = {
      agentId: 'nested',
      inputJson: '{"path":["in"]}',
      streamModes: allModes,
      streamSubgraphs: true,
      headKnown: true,
    };
    const { end, chunks } = await guest.invoke(runRequest('t-nested', 'r-nested-1', request));
    expect(end.status).toBe('interrupted');
    expect(JSON.parse(end.interruptsJson)).toEqual([
      { id: expect.any(String) as unknown, value: 'which way?' }, // typed any there
    ]);
    const inside = chunks.filter(({ ns }) => /^child:[0-9a-f-]{36}$/.test(ns));
    expect(inside.map(({ mode, json }) => `${mode} ${json}`)).toContain(
      'updates {"inside":{"path":["inside"]}}',
    );
    expect(chunks.filter(({ mode }) => mode === 'custom').map(({ json }) => json)).toEqual([
      '{"at":"inside"}',
    ]);

    const resume = { agentId: 'nested', commandJson: '{"resume":"left"}' };
    const after = await guest.invoke(runRequest('t-nested', 'r-nested-2', resume));
    expect(JSON.parse(after.end.outputJson)).toEqual({
      path: ['in', 'in', 'inside', 'answer left', 'after'],
    });
    const namespaces = new Set(
      host.checkpoints.list({ ...emptyList, threadId: 't-nested' }).map((c) => c.checkpointNs),
    );
    expect([...namespaces].map((ns) => ns.split(':')[0] ?? '').sort()).toEqual(['', 'child']);
  });

  it('serves the first load from the head it was given, without a call', async () => {
    await guest.invoke(
      runRequest('t-head', 'r-head-1', {
        agentId: 'noop',
        inputJson: '{"count":5}',
        headKnown: true,
      }),
    );
    const loadsBefore = host.loads.length;
    const head = host.checkpoints.history('t-head').at(-1) ?? null;
    const request = { agentId: 'noop', inputJson: '{}', headKnown: true, head };
    const { end } = await guest.invoke(runRequest('t-head', 'r-head-2', request));
    expect(end.outputJson).toBe('{"count":7}');
    expect(host.loads.length - loadsBefore).toBe(0);
  });

  it('has a store when the host has one, and none otherwise', async () => {
    const request = { agentId: 'memory', inputJson: '{"report":null}' };
    const without = await guest.invoke(runRequest('t-store', 'r-store-1', request));
    expect(without.end.outputJson).toBe('{"report":"no store"}');
    const enabled = { ...request, storeEnabled: true };
    const { end } = await guest.invoke(runRequest('t-store', 'r-store-2', enabled));
    expect(JSON.parse(end.outputJson)).toEqual({
      report: {
        item: { name: 'red', liked: true },
        at: '2026-01-02T03:04:05.000Z',
        missing: null,
        liked: ['color'],
      },
    });
  });

  it('applies the tags, metadata and recursion limit of its config', async () => {
    const request = runRequest('t-config', 'r-config', {
      agentId: 'twoSteps',
      inputJson: '{"count":0}',
      configJson: JSON.stringify({
        recursion_limit: 1,
        metadata: { customer: 'c-1', nested: { left: 'out' } },
        configurable: { thread_id: 't-config', run_id: 'r-config', checkpoint_ns: '' },
      }),
    });
    const { end } = await guest.invoke(request);
    expect(end.error).toMatchObject({ code: 'agent_error', type: 'GraphRecursionError' });
    const [first] = host.checkpoints.history('t-config');
    expect(JSON.parse(first?.metadataJson ?? '')).toEqual({
      customer: 'c-1',
      run_id: 'r-config',
      source: 'input',
      step: -1,
      parents: {},
    });
  });
});

const emptyList = {
  token: '',
  checkpointId: '',
  beforeCheckpointId: '',
  limit: 0,
  filterJson: '',
  afterSeq: 0,
  own: false,
};
