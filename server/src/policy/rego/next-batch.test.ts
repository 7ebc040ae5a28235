import { expect, it } from 'vitest';
import { POLICY_INPUT_BYTES } from '../../model/limits/policy-limits.ts';
import { REGO_BATCH } from '../../model/limits/rego-limits.ts';
import { BatchChoice, type Batch } from './next-batch.ts';
import { PolicyPace, type Pace } from './policy-pace.ts';
import { QuestionQueue, type PendingQuestion } from './question-queue.ts';

const question = (policy: string, more: Partial<PendingQuestion> = {}): PendingQuestion => {
  return { input: '{}', bytes: 2, policies: [policy], begun: 0, resolve: () => undefined, ...more };
};
const doing = (pace: Pace): Batch => ({ pace, questions: [] });
const idle = undefined;

/** Policies are named by their pace. */
function choiceOf(...waiting: PendingQuestion[]) {
  const queue = new QuestionQueue({ limit: 100, waitMs: 60_000, onTired: () => undefined });
  const pace = new PolicyPace();
  pace.wereQuick(['known']);
  pace.wasSlow('slow');
  for (const one of waiting) queue.add(one);
  const choice = new BatchChoice(queue, pace);
  return (asked: readonly (Batch | undefined)[], workers = 2): unknown => {
    const batch = choice.next(asked, workers);
    return batch && [batch.pace, batch.questions.length];
  };
}

it.each<[Pace, (Batch | undefined)[], boolean]>([
  ['known', [idle], true],
  ['known', [doing('slow'), idle], true],
  ['known', [doing('new'), idle], true],
  ['new', [idle], true],
  ['new', [doing('slow'), idle], true],
  ['new', [doing('known'), idle], true],
  ['new', [doing('new'), idle], false],
  ['slow', [idle], false],
  ['slow', [idle, idle], true],
  ['slow', [doing('known'), idle], true],
  ['slow', [doing('new'), idle], true],
  ['slow', [doing('slow'), idle], false],
])('a question that is %s, beside %j: %s', (pace, asked, isAsked) => {
  expect(choiceOf(question(pace))(asked)).toEqual(isAsked ? [pace, 1] : undefined);
});

it('gives what is slow the only thread that there may be', () => {
  expect(choiceOf(question('slow'))([idle], 1)).toEqual(['slow', 1]);
});

it('puts questions of one pace together, but not those that are asked alone', () => {
  const known = question('known');
  const alone = question('known', { isAlone: true });
  const next = choiceOf(question('new'), known, alone, question('slow'), { ...known });
  const asked = [next([idle, idle]), next([idle, idle]), next([idle, idle]), next([idle, idle])];
  expect(asked).toEqual([
    ['new', 1],
    ['known', 2],
    ['slow', 1],
    ['slow', 1],
  ]);
});

it('lets known ones go between new ones', () => {
  const next = choiceOf(question('new', { bytes: POLICY_INPUT_BYTES }), question('new'));
  expect([next([idle]), next([idle])]).toEqual([
    ['new', 1],
    ['new', 1],
  ]);
  const mixed = choiceOf(
    question('new', { bytes: POLICY_INPUT_BYTES }),
    question('new'),
    question('known'),
  );
  expect([mixed([idle]), mixed([idle]), mixed([idle])]).toEqual([
    ['new', 1],
    ['known', 1],
    ['new', 1],
  ]);
});

it('bounds a batch by its questions and by their bytes', () => {
  const many = Array.from({ length: REGO_BATCH + 1 }, () => question('known'));
  const next = choiceOf(...many);
  expect([next([idle]), next([idle]), next([idle])]).toEqual([
    ['known', REGO_BATCH],
    ['known', 1],
    undefined,
  ]);
  const large = question('known', { bytes: POLICY_INPUT_BYTES / 2 });
  const bySize = choiceOf(large, { ...large }, { ...large });
  expect([bySize([idle]), bySize([idle])]).toEqual([
    ['known', 2],
    ['known', 1],
  ]);
});
