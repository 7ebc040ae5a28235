import { describe, expect, it } from 'vitest';
import { toJsonText } from '../model/json-text.ts';
import { stateMessages } from './state-messages.ts';

const messagesOf = (messages: unknown): unknown => stateMessages(toJsonText({ a: 1, messages }));

describe('stateMessages', () => {
  it("maps LangGraph's types to roles and joins text parts", () => {
    expect(
      messagesOf([
        { type: 'human', content: 'hi', id: 'm1', additional_kwargs: {} },
        {
          type: 'ai',
          content: [{ type: 'text', text: 'look ' }, { type: 'image_url', image_url: 'x' }, 'here'],
          tool_calls: [{ name: 'f', args: {}, id: 'c1' }],
        },
        { type: 'tool', content: '42', tool_call_id: 'c1', name: 'f' },
        { type: 'system', content: '', tool_calls: [] },
        { type: 'AIMessageChunk', content: 'part' },
      ]),
    ).toEqual([
      { role: 'user', content: 'hi', id: 'm1' },
      { role: 'assistant', content: 'look here', tool_calls: [{ name: 'f', args: {}, id: 'c1' }] },
      { role: 'tool', content: '42', name: 'f', tool_call_id: 'c1' },
      { role: 'system', content: '' },
      { role: 'assistant', content: 'part' },
    ]);
  });

  it("takes LangChain's constructor form and plain role and content", () => {
    expect(
      messagesOf([
        {
          lc: 1,
          type: 'constructor',
          id: ['langchain_core', 'messages', 'HumanMessage'],
          kwargs: { content: 'hi', id: 'm1' },
        },
        { role: 'user', content: 'plain' },
        { role: 'developer', content: 'else' },
        { type: 'chat', role: 'assistant', content: 'chat' },
      ]),
    ).toEqual([
      { role: 'user', content: 'hi', id: 'm1' },
      { role: 'user', content: 'plain' },
      { role: 'developer', content: 'else' },
      { role: 'assistant', content: 'chat' },
    ]);
  });

  it('is undefined when the state tracks no messages', () => {
    expect(stateMessages(toJsonText({ a: { messages: [] } }))).toBeUndefined();
    expect(messagesOf('text')).toBeUndefined();
    expect(messagesOf([])).toEqual([]);
  });
});
