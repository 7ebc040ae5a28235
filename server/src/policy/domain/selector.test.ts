/** @module-tag seeds */
import { fc } from '../../../test/fixtures/fast-check.ts';
import { expect, it } from 'vitest';

import { POLICY_SELECTOR_CHARACTERS } from '../../model/limits/policy-limits.ts';
import { readSelector } from './selector.ts';

function matches(text: string, name: string): boolean {
  const read = readSelector(text);
  if ('problem' in read) throw new Error(read.problem);
  return read.selector.matches(name);
}

it.each([
  ['service:thread:read', 'service:thread:read', true],
  ['service:thread:read', 'service:thread:reads', false],
  ['thread', 'service:thread:read', false],
  ['service:thread:.*', 'service:thread:read', true],
  ['.*', '', true],
  ['.*', 'a\nb', false],
  ['^service:.*', 'service:run:list', true],
  ['.*:read$', 'service:thread:read', true],
  // Anchors are put around the text, not around each alternative.
  ['a|b', 'ax', true],
  ['a|b', 'xb', true],
  ['(a|b)', 'ax', false],
  ['(?i)SERVICE:.*', 'service:x', true],
  ['mrn:service:thread:[0-9a-f-]+', 'mrn:service:thread:0af-1', true],
  // A dollar that is escaped ends the text all the same, so none is added.
  ['a\\$', 'a$b', true],
])('%j on %j: %s', (text, name, isMatch) => {
  expect(matches(text, name)).toBe(isMatch);
});

it.each([
  ['', /^is empty: write an RE2 expression$/],
  ['*', /^is no RE2 expression \(.*missing argument.*\): correct it$/],
  ['(', /^is no RE2 expression/],
  ['(?=a)', /^is no RE2 expression/],
  ['(a)\\1', /^is no RE2 expression/],
  ['((a{100}){100}){100}', /^is no RE2 expression/],
  ['a'.repeat(POLICY_SELECTOR_CHARACTERS + 1), /^is longer than 1000 characters: split it$/],
])('refuses %j', (text, problem) => {
  expect(readSelector(text)).toEqual({
    problem: expect.stringMatching(problem) as string,
  });
});

it('matches the whole name alone, for every text without operators', () => {
  const word = fc.stringMatching(/^[a-z0-9:_-]{1,20}$/);
  fc.assert(
    fc.property(word, word, (text, name) => {
      expect(matches(text, name)).toBe(text === name);
    }),
  );
});

it('takes time with the length of the name and not more', () => {
  // Backtracking would take longer than the universe is old.
  expect(matches('(a+)+b', 'a'.repeat(5_000))).toBe(false);
});
