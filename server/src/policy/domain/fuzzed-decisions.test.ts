/** @module-tag seeds */
import { fc, tries } from '../../../test/fixtures/fast-check.ts';
import { expect, it } from 'vitest';

import { domainYaml, filesOf, policiesYaml } from '../../../test/fixtures/policies.ts';
import type { RegoEvaluator } from '../rego/port.ts';
import { DomainPolicy } from './domain-policy.ts';
import { explainLines } from './explain.ts';
import { readDomains } from './load-domains.ts';

const domain = domainYaml(
  'd',
  `${policiesYaml('op', 'role', 'scope', 'group')}  roles: [{mrn: r, policy: role}]
  groups: [{mrn: h, roles: [r], annotations: [{name: a, value: [1], merge: union}]}]
  scopes: [{mrn: s, policy: scope}]
  resource-groups: [{mrn: g, policy: group, default: true}]
  operations: [{selector: ["op.*"], policy: op}]
`,
);
const { set } = readDomains(['d'], filesOf({ d: domain }));

function policyThat(evaluate: (policies: readonly string[]) => unknown): DomainPolicy {
  const evaluator = {
    evaluate: ({ policies }: { policies: readonly string[] }) =>
      Promise.resolve(evaluate(policies)),
    close: () => Promise.resolve(),
  };
  return new DomainPolicy(set, evaluator as RegoEvaluator); // its results are what is tested
}

const names = fc.constantFrom('r', 'h', 's', 'none', 'mrn:iam:scope:api', '__proto__');
const claim = fc.oneof(fc.array(names), names, fc.anything());
const principals = fc.record(
  {
    sub: fc.oneof(fc.constant('ada'), fc.anything()),
    ...{ mroles: claim, mgroups: claim, scopes: claim, mrealm: fc.anything() },
    mannotations: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.anything()),
    more: fc.anything(),
  },
  { requiredKeys: [] },
);
const likely = <Often, Other>(often: fc.Arbitrary<Often>, other: fc.Arbitrary<Other>) =>
  fc.oneof({ weight: 6, arbitrary: often }, { weight: 1, arbitrary: other });
const asked = fc.constantFrom<object>(
  { sub: 'ada', mroles: ['r'] },
  { sub: 'ada', mgroups: ['h'], scopes: ['s'] },
  { sub: 'ada', mroles: 'r', scopes: ['s', 'mrn:iam:scope:api'], more: { a: [1] } },
);
const porcs = likely(
  fc.record({
    principal: likely(asked, principals),
    operation: likely(fc.constant('op'), fc.anything()),
    resource: likely(fc.constant('mrn:x'), fc.record({ id: fc.anything() })),
    context: likely(fc.constant({}), fc.anything()),
  }),
  fc.anything(),
);

/** What an evaluator may say of a policy, sometimes nonsense. */
const results = fc.oneof(
  fc.record({ value: fc.constantFrom(true, 0, 1) }),
  fc.record({ value: fc.oneof(fc.boolean(), fc.integer({ min: -2, max: 2 }), fc.jsonValue()) }),
  fc.record({ value: fc.constantFrom(true, 1), error: fc.string() }),
  fc.constant({}),
  fc.anything(),
);

/** At night there are fifty times as many decisions. */
const NIGHT = { timeout: 300_000 };

function isClear(value: unknown, wanted: (value: unknown) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return !('error' in value) && 'value' in value && wanted(value.value);
}

it('never throws, and never grants without a clear yes of the policies', NIGHT, async () => {
  let granted = 0;
  await fc.assert(
    fc.asyncProperty(
      porcs,
      fc.array(results, { minLength: 4, maxLength: 4 }),
      async (porc, all) => {
        const [op, role, group, scope] = all;
        const byKey = new Map(
          Object.entries({ 'd/op': op, 'd/role': role, 'd/group': group, 'd/scope': scope }),
        );
        const policy = policyThat((policies) =>
          policies.map((key) => {
            const one = byKey.get(key);
            return typeof one === 'object' && one !== null ? { ...one, policy: key } : one;
          }),
        );
        const decision = await policy.decide(porc);
        expect(explainLines(decision).length).toBeGreaterThan(0);
        if (!decision.isAllowed) return;
        granted += 1;
        const isFinal = isClear(op, (value) => Number.isInteger(value) && Number(value) > 0);
        const isEvery =
          isClear(op, (value) => value === 0 || Object.is(value, -0)) &&
          isClear(role, (value) => value === true) &&
          isClear(group, (value) => value === true);
        expect(isFinal || isEvery).toBe(true);
      },
    ),
    { numRuns: tries(2_000) },
  );
  // Grants were among what was tried.
  expect(granted).toBeGreaterThan(0);
});

it('denies every question when the evaluator fails, whatever it is', async () => {
  await fc.assert(
    fc.asyncProperty(porcs, fc.anything(), async (porc, thrown) => {
      const policy = policyThat(() => {
        throw thrown;
      });
      expect((await policy.decide(porc)).isAllowed).toBe(false);
    }),
  );
});

it('decides by the table of phases, for every clear result of every policy', async () => {
  const yesOrNo = fc.constantFrom(true, false, undefined);
  const lists = { roles: fc.subarray(['r', 'none']), groups: fc.subarray(['h', 'none']) };
  const values = { op: fc.constantFrom(-1, 0, 1, undefined), role: yesOrNo, group: yesOrNo };
  const scopes = fc.subarray(['s', 'none', 'mrn:iam:scope:api']);
  const cases = fc.record({ ...values, ...lists, scope: yesOrNo, scopes });
  await fc.assert(
    fc.asyncProperty(cases, async ({ op, role, group, scope, roles, groups, scopes: held }) => {
      const table: Record<string, unknown> = {
        ...{ 'd/op': op, 'd/role': role, 'd/group': group, 'd/scope': scope },
      };
      const policy = policyThat((policies) =>
        policies.map((key) => ({ policy: key, value: table[key], microseconds: 1 })),
      );
      const principal = { sub: 'ada', mroles: roles, mgroups: groups, scopes: held };
      const { isAllowed, phase } = await policy.decide({
        ...{ principal, operation: 'op', resource: 'mrn:x', context: {} },
      });
      const isIdentified = role === true && (roles.includes('r') || groups.includes('h'));
      const isInScope =
        held.length === 0 ||
        held.includes('mrn:iam:scope:api') ||
        (held.includes('s') && scope === true);
      const denying = [
        ['operation', op === undefined || op < 0],
        ['identity', !isIdentified],
        ['resource', group !== true],
        ['scope', !isInScope],
      ].find(([, isDenied]) => isDenied);
      const expected =
        op === 1 ? [true, 'operation'] : denying ? [false, denying[0]] : [true, 'scope'];
      expect([isAllowed, phase]).toEqual(expected);
    }),
    { numRuns: tries(500) },
  );
});
