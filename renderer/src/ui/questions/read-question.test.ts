import { expect, test } from 'vitest';
import { readQuestion } from './read-question.ts';

test('a question is read with its options and its other members', () => {
  expect(
    readQuestion({ question: 'Refund?', amount: 250, options: ['yes', { label: 'No', value: 0 }] }),
  ).toEqual({
    question: 'Refund?',
    options: [
      { label: 'yes', value: 'yes' },
      { label: 'No', value: 0 },
    ],
    details: [['amount', 250]],
  });
  expect(readQuestion('Go on?')).toEqual({ question: 'Go on?', options: [], details: [] });
  expect(readQuestion(7).details).toEqual([['value', 7]]);
});
