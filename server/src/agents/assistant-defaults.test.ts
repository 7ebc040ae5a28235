import { expect, it } from 'vitest';
import type { AgentId } from '../model/ids.ts';
import type { ManifestAgent } from './agent.ts';
import { withAssistantDefaults } from './assistant-defaults.ts';

const agent = (name: string): ManifestAgent => ({
  agentId: name as AgentId,
  name,
  language: 'python',
  path: './chat.py:graph',
});
const agents = [agent('chat'), agent('constructor')];

const withText = (text: string) =>
  withAssistantDefaults(agents, { LANGGRAPH_CONFIG: text }, 'agent.json');

it('reads config and context by agent from LANGGRAPH_CONFIG', () => {
  const config = { configurable: { model: 'small' }, recursion_limit: 7 };
  expect(withText(JSON.stringify({ chat: { ...config, context: { tone: 'dry' } } }))).toEqual([
    { ...agents[0], assistant: { config, context: { tone: 'dry' } } },
    agents[1],
  ]);
  expect(withText('{"chat": {}}')[0]?.assistant).toEqual({ config: {}, context: {} });
});

it('leaves agents as they are without it', () => {
  expect(withAssistantDefaults(agents, {}, 'agent.json')).toBe(agents);
  expect(withText('')).toBe(agents);
});

it.each([
  ['{', 'it is not a JSON object of configs by agent.'],
  ['[]', 'it is not a JSON object of configs by agent.'],
  ['{"chat": 1}', '"chat" is not an object.'],
  ['{"chat": {"context": []}}', 'have to be objects, without names that begin with __.'],
  ['{"chat": {"configurable": {"__pregel_send": 1}}}', 'without names that begin with __.'],
])('refuses %s', (text, reason) => {
  expect(() => withText(text)).toThrow(reason);
});
