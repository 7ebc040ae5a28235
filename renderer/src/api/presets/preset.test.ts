import { expect, test } from 'vitest';
import { contentOf, isSameContent, otherMembers, settingsOf, withContent } from './preset.ts';

const config = {
  configurable: { model: 'small', seed: 1 },
  tags: ['a', { of: 'another client' }],
  recursion_limit: 20,
  max_concurrency: 3,
};
const kept = { config, context: {} };

test('what the composer does not show stays when a preset is changed', () => {
  const shown = contentOf(kept);
  expect(shown.tags).toEqual(['a']);
  expect(withContent(kept, { ...shown, recursionLimit: 50 })).toEqual({
    config: { ...config, recursion_limit: 50 },
    context: {},
  });
  expect(otherMembers(config)).toEqual(['max_concurrency']);
});

test('what is emptied in the composer is left out', () => {
  const content = { context: { tone: 'warm' }, configurable: {}, tags: [] };
  expect(withContent(kept, { ...content, recursionLimit: undefined })).toEqual({
    config: { max_concurrency: 3 },
    context: { tone: 'warm' },
  });
});

test('members of another type than the composer’s are not shown, and stay', () => {
  const odd = { config: { configurable: 'x', tags: 'y', recursion_limit: '9' }, context: {} };
  const shown = contentOf(odd);
  expect(settingsOf(shown)).toEqual([]);
  expect(withContent(odd, shown)).toEqual(odd);
});

test('the order of members makes no difference', () => {
  const one = contentOf({ config: { configurable: { a: 1, b: { c: 2, d: 3 } } }, context: {} });
  const other = contentOf({ config: { configurable: { b: { d: 3, c: 2 }, a: 1 } }, context: {} });
  expect(isSameContent(one, other)).toBe(true);
  expect(settingsOf(one)).toEqual(['configurable.a', 'configurable.b']);
});
