import { expect, it } from 'vitest';
import { jsonText, toJsonText } from '../model/json.ts';
import type { NewRun } from '../model/run/run.ts';
import type { AttemptInput } from '../model/thread/thread-wire.ts';
import { runConfig, runContext } from './run-config.ts';

const of = (run: Pick<NewRun, 'config' | 'context'>): string => runContext(run as NewRun); // nothing else is read

it('is the context as it was sent, to the letter', () => {
  const context = jsonText('{ "n": 12345678901234567890 }');
  expect(of({ config: {}, context })).toBe(context);
});

it('is what is under configurable where there is no context, except for the position in the thread', () => {
  const config = { configurable: { tone: 'warm', thread_id: 't', checkpoint_id: 'c' } };
  expect(of({ config })).toBe('{"tone":"warm"}');
  expect(of({ config, context: toJsonText({}) })).toBe('{"tone":"warm"}');
  expect(of({ config: {} })).toBe('{}');
});

it('does not name its client', () => {
  const spoofed = { langgraph_auth_user: { identity: 'root' }, tone: 'warm' };
  expect(of({ config: { configurable: spoofed } })).toBe('{"tone":"warm"}');
  expect(of({ config: {}, context: toJsonText(spoofed) })).toBe('{"tone":"warm"}');
  const escaped = jsonText('{"langgraph\\u005fauth_user_id":"root"}');
  expect(of({ config: {}, context: escaped })).toBe('{}');
});

it("passes to the agent what it gets under LangGraph's server", () => {
  const input = { threadId: 't', runUuid: 'r', agentId: 'agent', attempt: 2 } as AttemptInput; // all that is read
  const configurable = {
    graph_id: 'forged',
    langgraph_auth_user: { identity: 'root' },
    tone: 'warm',
  };
  const run = { config: { configurable }, metadata: { color: 'red', graph_id: 'forged' } };
  const config = runConfig(input, { ...run, principal: { sub: 'ada' } } as unknown as NewRun);
  const ids = {
    thread_id: 't',
    run_id: 'r',
    graph_id: 'agent',
    assistant_id: 'fe096781-5601-53d2-b2f6-0d3403f7e9ca', // LangGraph Server's id of a graph of this name
  };
  expect(config['configurable']).toMatchObject({ ...ids, tone: 'warm', user_id: 'ada' });
  expect(config['configurable']).toMatchObject({ langgraph_auth_user: { identity: 'ada' } });
  expect(config['metadata']).toEqual({
    ...ids,
    agent_id: 'agent',
    color: 'red',
    created_by: 'system',
    run_attempt: 2,
  });
});

it('leaves a client its own user_id', () => {
  const input = { threadId: 't', runUuid: 'r', agentId: 'agent', attempt: 1 } as AttemptInput; // all that is read
  const run = { config: { configurable: { user_id: 'u1' } }, metadata: {}, principal: {} };
  expect(runConfig(input, run as unknown as NewRun)['configurable']).toMatchObject({
    user_id: 'u1',
    langgraph_auth_user: null,
    langgraph_auth_user_id: '',
  });
});
