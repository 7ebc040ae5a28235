import { expect, it } from 'vitest';
import { openMessageLog } from './message-log.ts';

const part = (content: unknown, more: object = {}) => ({
  type: 'AIMessageChunk',
  id: 'm',
  content,
  additional_kwargs: {},
  tool_call_chunks: [],
  ...more,
});

it('puts the parts of a message together, and sends its metadata once', () => {
  const log = openMessageLog();
  expect(log.take(part('all'), { node: 'a' })).toMatchObject([
    { kind: 'metadata', data: { m: { metadata: { node: 'a' } } } },
    { kind: 'partial', data: [{ type: 'ai', id: 'm', content: 'all' }] },
  ]);
  expect(log.take(part(' is well'), { node: 'a' })).toMatchObject([
    { kind: 'partial', data: [{ type: 'ai', id: 'm', content: 'all is well' }] },
  ]);
});

it('puts calls together by their index, and reads their arguments when they are whole', () => {
  const log = openMessageLog();
  const first = { name: 'find', args: '{"a"', id: 'c', index: 0, type: 'tool_call_chunk' };
  const next = { name: null, args: ':1}', id: null, index: 0, type: 'tool_call_chunk' };
  log.take(part('', { tool_call_chunks: [first] }), {});
  const [event] = log.take(part('', { tool_call_chunks: [next] }), {});
  expect(event?.data).toMatchObject([
    {
      tool_call_chunks: [{ ...first, args: '{"a":1}' }],
      tool_calls: [{ name: 'find', args: { a: 1 }, id: 'c', type: 'tool_call' }],
    },
  ]);
});

it('joins blocks of the same index, and sums usage', () => {
  const log = openMessageLog();
  const block = (text: string) => [{ type: 'text', text, index: 0 }];
  const usage = { output_tokens: 2, output_token_details: { reasoning: 1 } };
  log.take(part(block('all'), { usage_metadata: usage }), {});
  const [event] = log.take(part(block(' well'), { usage_metadata: usage }), {});
  expect(event?.data).toMatchObject([
    {
      content: block('all well'),
      usage_metadata: { output_tokens: 4, output_token_details: { reasoning: 2 } },
    },
  ]);
});

it('sends a whole message as complete', () => {
  const message = { type: 'human', id: 'h', content: 'hi' };
  const [, event] = openMessageLog().take(message, {});
  expect(event).toEqual({ kind: 'complete', data: [message] });
});

it('takes whole messages from the states where it is asked to, each once', () => {
  const log = openMessageLog({ isFromStates: true });
  const [hi, there] = ['h', 't'].map((id) => ({ type: 'ai', id, content: id }));
  expect(log.take({ ...hi }, {})).toEqual([]);
  expect(log.takeState({ messages: [hi] })).toEqual({ kind: 'complete', data: [hi] });
  expect(log.takeState({ messages: [hi, there] })).toEqual({ kind: 'complete', data: [there] });
  expect(log.takeState({ messages: [hi, there] })).toBeUndefined();
  expect(openMessageLog().takeState({ messages: [hi] })).toBeUndefined();
});
