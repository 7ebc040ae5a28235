import { describe, expect, it } from 'vitest';
import { collect } from '../../../test/fixtures/collect.ts';
import { toBytes } from '../../model/frame.ts';
import { toJsonText } from '../../model/json.ts';
import { wholeValues, type StateValues } from '../../model/checkpoint/state-values.ts';
import { stateMessages } from './state-messages.ts';

/** The messages of a state in one document, which must be those of the same state by channels. */
async function messagesOf(messages: unknown): Promise<unknown> {
  const json = toJsonText({ a: 1, messages });
  const channel = { channel: 'messages', json: toBytes(JSON.stringify(messages)) };
  const whole = await read(wholeValues(json));
  expect(await read({ kind: 'members', members: [channel] })).toEqual(whole);
  return whole;
}

async function read(values: StateValues): Promise<unknown[] | undefined> {
  const messages = await stateMessages(values);
  return messages && collect(messages);
}

describe('stateMessages', () => {
  it("maps LangGraph's types to roles and joins text parts", async () => {
    expect(
      await messagesOf([
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

  it("takes LangChain's constructor form and plain role and content", async () => {
    expect(
      await messagesOf([
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

  it('is undefined when the state tracks no messages', async () => {
    expect(await read(wholeValues(toJsonText({ a: { messages: [] } })))).toBeUndefined();
    expect(await read(wholeValues(toJsonText(['messages', []])))).toBeUndefined();
    expect(await messagesOf('text')).toBeUndefined();
    expect(await messagesOf([])).toEqual([]);
  });

  it('lets others have their turn in a long conversation', async () => {
    const messages = Array.from({ length: 30 }, (_, at) => {
      return { type: 'human', content: `${at}${'x'.repeat(100_000)}` };
    });
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    const read = (await messagesOf(messages)) as { content: string }[]; // that many messages
    clearInterval(timer);
    expect(read.map(({ content }) => content.length)).toEqual(
      messages.map(({ content }) => content.length),
    );
    expect(turns).toBeGreaterThan(0);
  });
});
