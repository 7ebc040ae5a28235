import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { renderPart } from '../../test/render-page.tsx';
import { createLiveMessages } from './live-messages.ts';
import { MessageList } from './message-list.tsx';
import { readConversation } from './read-message.ts';

const question = { type: 'human', content: 'What is durable?', id: 'm1' };
const calls = {
  type: 'ai',
  content: '',
  id: 'm2',
  tool_calls: [{ id: 'c1', name: 'look_up', args: { query: 'durable', limit: 3 } }],
};
const found = {
  type: 'tool',
  content: '[{"title":"Durable agents"}]',
  tool_call_id: 'c1',
  id: 'm3',
};
const answer = { type: 'ai', content: 'It **survives** a crash.', id: 'm4' };

test('roles, markdown, and tool calls folded with their results', async () => {
  renderPart(<MessageList messages={[question, calls, found, answer]} />);
  expect(screen.getByText('user')).toBeVisible();
  expect((await screen.findByText('survives')).tagName).toBe('STRONG');
  const call = screen.getByRole('button', { name: /look_up/ });
  expect(call.textContent).toContain('query="durable", limit=3');
  expect(screen.queryByText(/Durable agents/)).toBeNull();
  await userEvent.click(call);
  expect(screen.getByText(/"title": "Durable agents"/)).toBeVisible();
});

test('an image is never loaded from another host', async () => {
  const messages = [{ type: 'ai', content: '![a chart](https://example.org/chart.png)', id: 'm5' }];
  renderPart(<MessageList messages={messages} />);
  const link = await screen.findByRole('link', { name: 'a chart' });
  expect(link.getAttribute('href')).toBe('https://example.org/chart.png');
  expect(document.querySelector('img')).toBeNull();
});

test('the reasoning of a model is folded, its text is not', async () => {
  const content = [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Yes' },
    { type: 'thinking', thinking: 'Or no?' },
  ];
  renderPart(<MessageList messages={[{ type: 'ai', content, id: 'm6' }]} />);
  expect((await screen.findByText('Yes')).textContent).toBe('Yes');
  const thought = screen.getByText('thought').closest('details');
  expect(thought?.open).toBe(false);
  expect(thought?.textContent).toContain('Hm.\n\nOr no?');
  const live = createLiveMessages();
  live.take({ message: { type: 'AIMessageChunk', id: 'm7', content } });
  expect(readConversation(live.list())[0]?.message.text).toBe('Yes');
});

test('messages of chat APIs are read the same way', () => {
  const [first] = readConversation([
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', function: { name: 'add', arguments: '{"a":1}' } }],
    },
  ]);
  expect(first?.message).toMatchObject({
    role: 'assistant',
    text: '',
    toolCalls: [{ id: 'c', name: 'add', args: { a: 1 } }],
  });
});

test('tokens are joined to a message that grows until the state has it', async () => {
  const live = createLiveMessages();
  for (const content of ['It ', 'survives', '.']) {
    live.take({ message: { type: 'AIMessageChunk', id: 'm4', content } });
  }
  renderPart(
    <MessageList messages={[question]} live={{ messages: live.list(), isRunning: true }} />,
  );
  expect(await screen.findByText('It survives.')).toBeVisible();
});

test('a message is neither read nor rendered again while another one grows', async () => {
  let shown = 0;
  // It is printed with every rendering of its message.
  const args = { query: { toJSON: () => `rendering ${++shown}` } };
  const known = {
    type: 'ai',
    content: 'Hm.',
    id: 'm0',
    tool_calls: [{ id: 'c', name: 'ask', args }],
  };
  const messages = [known];
  const live = createLiveMessages();
  const chunk = (id: string, content: string): void =>
    live.take({ message: { type: 'AIMessageChunk', id, content } });
  chunk('m1', 'It is done.');
  chunk('m2', 'It ');
  function Growing() {
    const [list, setList] = useState(() => live.list());
    return (
      <>
        <button onClick={() => setList(live.list())}>More</button>
        <MessageList messages={messages} live={{ messages: list, isRunning: true }} />
      </>
    );
  }
  renderPart(<Growing />);
  await screen.findByText('It is done.');
  const before = { shown, list: live.list() };
  chunk('m2', 'grows.');
  await userEvent.click(screen.getByRole('button', { name: 'More' }));
  expect(await screen.findByText('It grows.')).toBeVisible();
  expect(shown).toBe(before.shown);
  const after = live.list();
  expect(after.map((message, index) => message === before.list[index])).toEqual([true, false]);
  expect(readConversation(after)[0]?.message).toBe(readConversation(before.list)[0]?.message);
});

test('pieces of a call are joined, and a whole message replaces its pieces', () => {
  const live = createLiveMessages();
  const chunk = (piece: object) =>
    live.take({
      type: 'messages',
      data: {
        message: { type: 'AIMessageChunk', id: 'm', content: '', tool_call_chunks: [piece] },
      },
    });
  chunk({ index: 0, id: 'c1', name: 'look_up', args: '{"query":' });
  chunk({ index: 0, args: '"durable"}' });
  const [entry] = readConversation(live.list());
  expect(entry?.message.toolCalls).toEqual([
    { id: 'c1', name: 'look_up', args: { query: 'durable' } },
  ]);
  live.take({ message: { type: 'ai', id: 'm', content: 'done' } });
  expect(readConversation(live.list()).map(({ message }) => message.text)).toEqual(['done']);
});

test('a long conversation renders its end first', async () => {
  const messages = Array.from({ length: 230 }, (_, n) => ({
    type: 'human',
    content: `message ${n}`,
    id: `m${n}`,
  }));
  renderPart(<MessageList messages={messages} />);
  expect(screen.queryByText('message 0')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Show 30 earlier of 30' }));
  expect(await screen.findByText('message 0')).toBeVisible();
});
