import { expect, it } from 'vitest';
import { REGO_QUICK_POLICIES, REGO_SUSPECT_MS } from '../../model/limits/rego-limits.ts';
import { PolicyPace } from './policy-pace.ts';

it('knows a question whose policies have all been quick', () => {
  const pace = new PolicyPace();
  expect(pace.of(['a'])).toBe('new');
  pace.wereQuick(['a', 'b']);
  expect([pace.of(['a']), pace.of(['b', 'a']), pace.of(['a', 'c'])]).toEqual([
    'known',
    'known',
    'new',
  ]);
});

it('calls a policy slow for a while, also when it is quick meanwhile, and then new', () => {
  let now = 0;
  const pace = new PolicyPace(() => now);
  pace.wereQuick(['a', 'b']);
  pace.wasSlow('a');
  pace.wereQuick(['a', 'b']);
  expect([pace.of(['b', 'a']), pace.of(['b'])]).toEqual(['slow', 'known']);
  now = REGO_SUSPECT_MS;
  expect(pace.of(['b', 'a'])).toBe('new');
});

it('calls a question slow that has many policies', () => {
  const pace = new PolicyPace();
  const policies = Array.from({ length: REGO_QUICK_POLICIES + 1 }, (_, index) => `p${index}`);
  pace.wereQuick(policies);
  expect([pace.of(policies), pace.of(policies.slice(1))]).toEqual(['slow', 'known']);
});
