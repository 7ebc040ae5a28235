import { expect, it } from 'vitest';
import { previewOf } from './texts.ts';

it.each([
  [{ messages: [{ content: 'Hello' }, { content: [{ text: 'you\n there' }] }] }, 'you there'],
  [{ question: 'Where is it?' }, 'Where is it?'],
  [{ order: 'A-17', amount: 250, note: null }, 'order: A-17, amount: 250, note: null'],
  [{ items: [1, 2], n: 1 }, '{"items":[1,2],"n":1}'],
  [{}, '{}'],
  [null, undefined],
])('shows %j as one line', (value, line) => {
  expect(previewOf(value)).toBe(line);
});
