import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { root } from '../suites.ts';
import { jobsOf, missingOf } from './candidates.ts';
import type { Mutation } from './mutation.ts';
import { mutations } from './mutations.ts';
import { summaryOf, tableOf, type Outcome } from './table.ts';
import { mutated } from './tree.ts';

const one: Mutation = {
  name: 'http/status',
  file: 'server/src/http/status.ts',
  from: '404',
  to: '$&00',
  breaks: 'a wrong status',
  rule: 'a | b',
  isSpec: true,
  noticedBy: ['http/runs'],
};

describe('a mutation', () => {
  it('replaces its text literally', () => {
    expect(mutated('return 404;', one)).toBe('return $&00;');
  });

  it.each(['return 409;', '404 or 404'])(
    'is refused where its text does not occur exactly once: %s',
    (text) => {
      expect(() => mutated(text, one)).toThrow(/occurs [02] times in server\/src\/http\/status.ts/);
    },
  );
});

/** So that a change of a mutated line changes the mutation in the same commit. */
test.each(mutations)('$name fits the sources', (mutation) => {
  const text = readFileSync(path.join(root, mutation.file), 'utf8');
  expect(mutated(text, mutation)).not.toBe(text);
});

test('every mutation names test files, each of which exists', () => {
  const isForeign = (name: string): boolean => ['node_modules', '.cache'].includes(name);
  const pattern =
    '{server,electron,renderer,e2e}/**/*{test_*.py,_test.go,.test.ts,.test.tsx,.spec.ts}';
  const files = globSync(pattern, { cwd: root, exclude: isForeign });
  const unnoticed = mutations.filter(({ noticedBy }) => jobsOf(noticedBy, files).length === 0);
  expect(unnoticed).toEqual([]);
  expect(mutations.flatMap(({ noticedBy }) => missingOf(noticedBy, files))).toEqual([]);
});

test('at least thirty mutations, of which twenty break the specification, each with a unique name', () => {
  expect(mutations.length).toBeGreaterThanOrEqual(30);
  expect(mutations.filter(({ isSpec }) => isSpec).length).toBeGreaterThanOrEqual(20);
  expect(new Set(mutations.map(({ name }) => name)).size).toBe(mutations.length);
});

test('the table lists what was noticed by what, and what by nothing', () => {
  const failure = { file: 'server/src/http/runs.test.ts', name: 'is | is not', message: '' };
  const notice = { suite: 'unit', tier: 'push' as const, isDoubtful: false };
  const outcomes: Outcome[] = [
    { mutation: one, notice: { ...notice, failure }, seconds: 1.6 },
    { mutation: { ...one, isSpec: false }, notice: { ...notice, tier: 'rest' }, seconds: 2 },
    { mutation: one, seconds: 3 },
  ];
  const [, , first, second, third] = tableOf(outcomes).split('\n');
  expect([first, second, third]).toEqual([
    '| http/status | a wrong status | a \\| b | unit | server/src/http/runs.test.ts: is \\| is not | 2 |',
    '| http/status | a wrong status | (a \\| b) | unit (release) | did not end, or failed as a whole | 2 |',
    '| http/status | a wrong status | a \\| b | **nothing** |  | 3 |',
  ]);
  expect(summaryOf(outcomes)).toBe('2 of 3 mutations noticed: unit 2, nothing 1');
});
