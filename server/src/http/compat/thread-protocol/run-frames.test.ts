import { describe, expect, it } from 'vitest';
import type { AgentId, RunUuid, ThreadId } from '../../../model/ids.ts';
import { jsonText } from '../../../model/json.ts';
import type { RunView } from '../../../model/run/run.ts';
import type { Followed } from '../../../threads/run-follower.ts';
import { openRunFrames } from './run-frames.ts';

const run: RunView = {
  threadId: 't' as ThreadId,
  runUuid: 'r' as RunUuid,
  agentId: 'chat' as AgentId,
  status: 'running',
  createdAt: 1_000,
  updatedAt: 9_000,
  metadata: {},
  maxAttempts: 3,
};
const event = (id: number, mode: string, data: unknown, ns = ''): Followed => ({
  kind: 'event',
  event: { id, mode, ns, data: jsonText(JSON.stringify(data)), at: 2_000 + id },
});
const end = (more: Partial<RunView> = { status: 'completed' }): Followed => ({
  kind: 'end',
  id: 9,
  run: { ...run, ...more },
});

/** Method, namespace and data of the frames of a run, without its beginning. */
function framesOf(...items: Followed[]) {
  const frames = openRunFrames(run);
  const all = items.flatMap(frames);
  return all.slice(1).map(({ method, namespace, data }) => {
    const shown: unknown = JSON.parse(data);
    return namespace.length === 0 ? [method, shown] : [method, namespace.join('/'), shown];
  });
}

describe('the frames of a run', () => {
  it('begin with running and end with how it ended', () => {
    const ends = (more: Partial<RunView>) => openRunFrames(run)(end(more)).map((one) => one.data);
    const running = '{"event":"running","graph_name":"chat"}';
    const ended = (name: string) => `{"event":"${name}","graph_name":"chat"}`;
    expect(ends({ status: 'completed' })).toEqual([running, ended('completed')]);
    expect(ends({ status: 'interrupted' })).toEqual([running, ended('interrupted')]);
    expect(ends({ status: 'cancelled' })).toEqual([running, ended('interrupted')]);
    const error = { code: 'agent_error', message: 'No.' };
    expect(ends({ status: 'error', error }).at(-1)).toContain('"event":"failed"');
    expect(ends({ status: 'error', error }).at(-1)).toContain('"error":"No."');
  });

  it('have ids that are the same for every reader', () => {
    const read = () =>
      [event(1, 'values', { a: 1 }), event(2, 'updates', { n: {}, m: {} }), end()]
        .flatMap(openRunFrames(run))
        .map(({ eventId }) => eventId);
    expect(read()).toEqual(['r:running', 'r:1.0', 'r:2.0', 'r:2.1', 'r:end9.0']);
    expect(read()).toEqual(read());
  });

  it('have values and updates without the questions, which are requests of input, once each', () => {
    const question = { id: 'q', value: 'Sure?' };
    const requested = { interrupt_id: 'q', payload: 'Sure?', value: 'Sure?' };
    expect(
      framesOf(
        event(1, 'values', { a: 1, __interrupt__: [question] }),
        event(2, 'values', { __interrupt__: [question] }),
        event(3, 'updates', { __interrupt__: [question] }),
        event(4, 'updates', { node: { a: 2 }, other: null }),
      ),
    ).toEqual([
      ['input.requested', requested],
      ['values', { a: 1 }],
      ['updates', { node: 'node', values: { a: 2 } }],
      ['updates', { node: 'other', values: { value: null } }],
    ]);
  });

  it('have the messages of models alone', () => {
    const messages = (message: object, metadata: object = {}) => ({ message, metadata });
    const frames = framesOf(
      event(1, 'messages', messages({ type: 'ai', id: 'a', content: 'made by a node' })),
      event(2, 'messages', messages({ type: 'tool', id: 't', content: 'found' })),
      event(
        3,
        'messages',
        messages({ type: 'ai', id: 'm', content: 'Hi' }, { ls_model_type: 'chat' }),
      ),
      event(4, 'messages', messages({ type: 'AIMessageChunk', id: 'n', content: 'H' }), 'sub:1'),
      event(5, 'calls', { kind: 'model', event: 'end', output: { id: 'n' } }),
    );
    const starts = frames.filter((one) => JSON.stringify(one).includes('message-start'));
    expect(starts.map((one) => JSON.stringify(one))).toEqual([
      expect.stringContaining('"id":"m"'),
      expect.stringMatching(/^\["messages","sub:1".*"id":"n"/),
    ]);
    expect(frames.at(-1)).toEqual(['messages', 'sub:1', { event: 'message-finish', id: 'n' }]);
  });

  it('have custom events by their names, and others as payloads', () => {
    const frames = openRunFrames(run);
    const [, named, other] = [
      ...frames(event(1, 'custom', { name: 'progress', step: 1 })),
      ...frames(event(2, 'custom', { step: 2 })),
    ];
    expect(named).toMatchObject({ name: 'progress', data: '{"name":"progress","step":1}' });
    expect(other).not.toHaveProperty('name');
    expect(other?.data).toBe('{"payload":{"step":2}}');
  });

  it('have the calls of tools', () => {
    const call = { kind: 'tool', id: 'run', name: 'search', node: 'tools', tool_call_id: 'c' };
    expect(
      framesOf(
        event(1, 'calls', { ...call, event: 'start', input: { q: 1 } }),
        event(2, 'calls', { ...call, event: 'end', output: 'found', error: null }),
        event(3, 'calls', { ...call, event: 'end', output: null, error: 'ValueError: No.' }),
        event(4, 'calls', { ...call, tool_call_id: undefined, event: 'start', input: {} }),
        event(5, 'calls', { ...call, event: 'delta', delta: { found: 1 } }),
        event(6, 'calls', { ...call, event: 'end', output: null, error: 'GraphInterrupt: ()' }),
      ),
    ).toEqual([
      ['tools', { event: 'tool-started', tool_name: 'search', input: { q: 1 }, tool_call_id: 'c' }],
      ['tools', { event: 'tool-finished', output: 'found', tool_call_id: 'c' }],
      ['tools', { event: 'tool-error', message: 'No.', tool_call_id: 'c' }],
      ['tools', { event: 'tool-started', tool_name: 'search', input: {}, tool_call_id: 'run' }],
      ['tools', { event: 'tool-output-delta', delta: { found: 1 }, tool_call_id: 'c' }],
    ]);
  });

  it('have sub-graphs from their first task to the end of the task that they are in', () => {
    const frames = framesOf(
      event(1, 'tasks', { event: 'start', id: '1', name: 'sub', input: {} }),
      event(2, 'tasks', { event: 'start', id: '2', name: 'inner', input: {} }, 'sub:1'),
      event(3, 'tasks', { event: 'end', id: '2', name: 'inner', result: {}, error: null }, 'sub:1'),
      event(4, 'tasks', { event: 'end', id: '1', name: 'sub', result: {}, error: 'E: No.' }),
      event(5, 'tasks', { event: 'start', id: '3', name: 'inner', input: {} }, 'sub:7'),
      end({ status: 'interrupted' }),
    );
    const lifecycles = frames.filter(([method]) => method === 'lifecycle');
    expect(lifecycles).toEqual([
      ['lifecycle', 'sub:1', { event: 'started', graph_name: 'sub' }],
      ['lifecycle', 'sub:1', { event: 'failed', error: 'E: No.' }],
      ['lifecycle', 'sub:7', { event: 'started', graph_name: 'sub' }],
      ['lifecycle', 'sub:7', { event: 'interrupted' }],
      ['lifecycle', { event: 'interrupted', graph_name: 'chat' }],
    ]);
  });

  it('have checkpoints by what names them', () => {
    const config = (id: string) => ({ configurable: { thread_id: 't', checkpoint_id: id } });
    const checkpoint = { config: config('b'), metadata: { step: 2, source: 'loop' }, values: {} };
    expect(
      framesOf(
        event(1, 'checkpoints', { ...checkpoint, parent_config: config('a') }),
        event(2, 'checkpoints', { ...checkpoint, parentConfig: null }),
      ),
    ).toEqual([
      ['checkpoints', { id: 'b', parent_id: 'a', step: 2, source: 'loop' }],
      ['checkpoints', { id: 'b', step: 2, source: 'loop' }],
    ]);
  });

  it('replace what is lost by the state after it', () => {
    const gap: Followed = { kind: 'gap', id: 3, values: jsonText('{"a":1}') };
    expect(framesOf(gap)).toEqual([['values', { a: 1 }]]);
  });
});
