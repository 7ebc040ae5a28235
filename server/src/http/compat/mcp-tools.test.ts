import { expect, it } from 'vitest';
import { presentTool, toolName, toolsByName } from './mcp-tools.ts';

const source = { assistant_id: 'a', graph_id: 'chat', name: 'Chat', description: null };

it('shows messages as a role and a text, and keeps every other schema', () => {
  const kinds = ['AIMessage', 'HumanMessage'].map((name) => ({ $ref: `#/$defs/${name}` }));
  const { inputSchema } = presentTool('Chat', source, {
    type: 'object',
    properties: {
      messages: { title: 'Messages', type: 'array', items: { oneOf: kinds } },
      orders: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/Order' }] } },
    },
    required: ['messages'],
    $defs: { AIMessage: {}, HumanMessage: {}, ToolCall: {}, Order: { type: 'object' } },
  });
  expect(inputSchema).toMatchObject({
    type: 'object',
    properties: {
      messages: { title: 'Messages', items: { required: ['role', 'content'] } },
      orders: { items: { anyOf: [{ $ref: '#/$defs/Order' }] } },
    },
    required: ['messages'],
    $defs: { Order: { type: 'object' } },
  });
  expect(Object.keys(inputSchema['$defs'] as object)).toEqual(['Order']);
});

it('takes an input without a type for an object, as the protocol wants it', () => {
  expect(presentTool('Chat', source, true).inputSchema).toEqual({ type: 'object' });
  expect(presentTool('Chat', source, {})).toMatchObject({
    ...{ title: 'Chat', description: 'Runs the agent Chat.', inputSchema: { type: 'object' } },
  });
});

it('names tools as the protocol allows, each once', () => {
  expect(toolName('Über uns/2.0 (x)')).toBe('_ber_uns_2.0__x_');
  const tools = toolsByName([source, { ...source, assistant_id: 'b' }]);
  expect([...tools].map(([name, { assistant_id: id }]) => [name, id])).toEqual([['Chat', 'a']]);
});
