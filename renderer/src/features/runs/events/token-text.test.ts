import { expect, test } from 'vitest';
import { eventOf } from './event-fixture.ts';
import { createTokenText } from './token-text.ts';

test('tokens are joined, and a whole message replaces its pieces', () => {
  const text = createTokenText();
  const piece = (content: string, type = 'AIMessageChunk', id = 'm') =>
    eventOf({
      type: 'messages',
      payload: { message: { id, content, type }, metadata: { langgraph_node: 'answer' } },
    });
  for (const event of [piece('The '), piece('end'), piece('Hi', 'human', 'h')]) text.take(event);
  expect(text.messages().map((message) => [message.type, message.text, message.pieces])).toEqual([
    ['assistant', 'The end', 2],
    ['user', 'Hi', 1],
  ]);
  text.take(piece('The end.', 'ai'));
  expect(text.messages()[0]?.text).toBe('The end.');
});
