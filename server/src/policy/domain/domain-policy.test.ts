import { expect, it } from 'vitest';

import {
  domainYaml,
  filesOf,
  policiesYaml,
  type PolicyTable,
  tableEvaluator,
} from '../../../test/fixtures/policies.ts';
import type { Json } from '../../model/json.ts';
import {
  POLICY_INPUT_BYTES,
  POLICY_INPUT_DEPTH,
  POLICY_OPERATION_CHARACTERS,
  POLICY_RESOURCE_CHARACTERS,
} from '../../model/limits/policy-limits.ts';
import type { RegoEvaluator } from '../rego/port.ts';
import type { Decision } from './decision.ts';
import { DomainPolicy } from './domain-policy.ts';
import { readDomains } from './load-domains.ts';

const domain = domainYaml(
  'd',
  `${policiesYaml('op', 'role', 'role2', 'scope', 'scope2', 'group')}  roles: [{mrn: r, policy: role}, {mrn: r2, policy: role2}]
  groups: [{mrn: h, roles: [r2]}]
  scopes: [{mrn: s, policy: scope}, {mrn: s2, policy: scope2}]
  resource-groups: [{mrn: g, policy: group, default: true}]
  operations: [{selector: [op], policy: op}]
`,
);

/** Everything grants: a test changes the one thing that it is about. */
const granting = { 'd/op': 0, 'd/role': true, 'd/scope': true, 'd/group': true };
const porc = {
  principal: { sub: 'ada', mroles: ['r'], scopes: ['s'] },
  operation: 'op',
  resource: 'mrn:x',
  context: {},
};

function policyOf(table: PolicyTable, files: Record<string, string> = { 'd.yaml': domain }) {
  const { set, findings } = readDomains(Object.keys(files), filesOf(files));
  expect(findings).toEqual([]);
  const { evaluator, questions } = tableEvaluator(table);
  return { policy: new DomainPolicy(set, evaluator), questions };
}

async function decide(table: PolicyTable, changed: object = {}): Promise<Decision> {
  return policyOf({ ...granting, ...table }).policy.decide({ ...porc, ...changed });
}

function short({ isAllowed, phase, code }: Decision): [boolean, string, string] {
  return [isAllowed, phase, code];
}

const undefinedValue = undefined;
const wrongTypes: Json[] = ['true', null, 1.5, [], [true], {}, { allow: true }];

it('grants when all four phases grant, in one call of the evaluator, and reports the result of each policy', async () => {
  const { policy, questions } = policyOf(granting);
  const decision = await policy.decide({
    ...porc,
    principal: { ...porc.principal, scopes: ['s', 's2'] },
  });
  expect(questions.map(({ policies }) => policies)).toEqual([
    ['d/op', 'd/role', 'd/group', 'd/scope', 'd/scope2'],
  ]);
  const policyNamed = (mrn: string, line: number) => ({
    ...{ mrn, domain: 'd', file: 'd.yaml', line },
    fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  expect(decision).toEqual({
    ...{ isAllowed: true, phase: 'scope', code: 'permitted', reason: 'Every phase grants.' },
    microseconds: expect.any(Number) as number,
    input: {
      principal: {
        ...{ sub: 'ada', mroles: ['r'], mgroups: [], scopes: ['s', 's2'], mannotations: {} },
      },
      operation: 'op',
      resource: { id: 'mrn:x', group: 'g', annotations: {} },
      context: {},
    },
    phases: [
      {
        ...{ phase: 'operation', isGranted: true },
        ...{ code: 'operation_passed', reason: 'op passes (0).' },
        outcomes: [
          {
            ...{ outcome: 'passes', via: 'op', code: 'policy_passes', reason: 'op passes (0).' },
            ...{ policy: policyNamed('op', 7), microseconds: 7 },
          },
        ],
      },
      {
        ...{ phase: 'identity', isGranted: true },
        ...{ code: 'identity_permitted', reason: 'role grants (true).' },
        outcomes: [
          {
            ...{
              outcome: 'grants',
              via: 'r',
              code: 'policy_grants',
              reason: 'role grants (true).',
            },
            ...{ policy: policyNamed('role', 8), microseconds: 7 },
          },
        ],
      },
      {
        ...{ phase: 'resource', isGranted: true },
        ...{ code: 'resource_permitted', reason: 'group grants (true).' },
        outcomes: [
          {
            ...{ outcome: 'grants', via: 'g', code: 'policy_grants' },
            ...{ reason: 'group grants (true).', policy: policyNamed('group', 12) },
            microseconds: 7,
          },
        ],
      },
      {
        ...{ phase: 'scope', isGranted: true },
        ...{ code: 'scope_permitted', reason: 'scope grants (true).' },
        outcomes: [
          {
            ...{ outcome: 'grants', via: 's', code: 'policy_grants' },
            ...{ reason: 'scope grants (true).', policy: policyNamed('scope', 10) },
            microseconds: 7,
          },
          {
            ...{ outcome: 'denies', via: 's2', code: 'policy_undefined' },
            reason: 'scope2 leaves data.authz.allow undefined.',
            ...{ policy: policyNamed('scope2', 11), microseconds: 7 },
          },
        ],
      },
    ],
  });
});

it.each<[Json | Error | undefined, [boolean, string, string]]>([
  [-1, [false, 'operation', 'operation_denied']],
  [-9e15, [false, 'operation', 'operation_denied']],
  [0, [true, 'scope', 'permitted']],
  [-0, [true, 'scope', 'permitted']],
  [1, [true, 'operation', 'operation_permitted']],
  [42, [true, 'operation', 'operation_permitted']],
  [true, [false, 'operation', 'operation_denied']],
  [false, [false, 'operation', 'operation_denied']],
  [undefinedValue, [false, 'operation', 'operation_denied']],
  [new Error('eval_conflict_error'), [false, 'operation', 'operation_denied']],
  ...wrongTypes.map((value): [Json, [boolean, string, string]] => [
    value,
    [false, 'operation', 'operation_denied'],
  ]),
])('operation phase: %j', async (value, expected) => {
  expect(short(await decide({ 'd/op': value }))).toEqual(expected);
});

it('grants finally by the operation, regardless of the other phases', async () => {
  const table = { 'd/op': 1, 'd/role': new Error('no'), 'd/group': false, 'd/scope': undefined };
  const decision = await decide(table);
  expect(short(decision)).toEqual([true, 'operation', 'operation_permitted']);
  // The results of the others are reported all the same.
  expect(decision.phases.map(({ isGranted }) => isGranted)).toEqual([true, false, false, false]);
  const roleless = { principal: { sub: 'ada' } };
  expect(short(await decide({ 'd/op': 1 }, roleless))[0]).toBe(true);
});

const denied = [false, undefinedValue, new Error('a time limit'), 1, ...wrongTypes];

it.each<[string[], string[], Record<string, Json | Error | undefined>, boolean, string]>([
  [['r'], [], { 'd/role': true }, true, 'permitted'],
  [['r', 'r2'], [], { 'd/role': false, 'd/role2': true }, true, 'permitted'],
  [['r'], ['h'], { 'd/role': new Error('no'), 'd/role2': true }, true, 'permitted'],
  [[], ['h'], { 'd/role2': true }, true, 'permitted'],
  [['none', 'r'], [], { 'd/role': true }, true, 'permitted'],
  [[], [], {}, false, 'identity_missing'],
  [[], ['none'], {}, false, 'identity_missing'],
  [['none'], [], {}, false, 'identity_denied'],
  [['r', 'r2'], [], { 'd/role': false, 'd/role2': false }, false, 'identity_denied'],
  ...denied.map((value): [string[], string[], PolicyTable, boolean, string] => [
    ['r'],
    [],
    { 'd/role': value },
    false,
    'identity_denied',
  ]),
])('identity phase: roles %j, groups %j, %j: %s', async (mroles, mgroups, table, ...expected) => {
  const principal = { sub: 'ada', mroles, mgroups };
  const { isAllowed, phase, code } = await decide({ 'd/role': undefined, ...table }, { principal });
  expect([isAllowed, code]).toEqual(expected);
  expect(phase).toBe(isAllowed ? 'scope' : 'identity');
});

it.each<[Json | Error | undefined, boolean]>([
  [true, true],
  ...denied.map((value): [Json | Error | undefined, boolean] => [value, false]),
])('resource phase: %j: %s', async (value, isAllowed) => {
  expect(short(await decide({ 'd/group': value }))).toEqual(
    isAllowed ? [true, 'scope', 'permitted'] : [false, 'resource', 'resource_denied'],
  );
});

it.each<[string[], PolicyTable, boolean]>([
  [[], {}, true],
  [['s'], { 'd/scope': true }, true],
  [['s', 's2'], { 'd/scope': false, 'd/scope2': true }, true],
  [['s', 's2'], { 'd/scope': true, 'd/scope2': new Error('no') }, true],
  [['mrn:iam:scope:api'], {}, true],
  [['s', 'mrn:iam:scope:api'], { 'd/scope': false }, true],
  [['none'], {}, false],
  [['s', 's2'], { 'd/scope': false, 'd/scope2': false }, false],
  ...denied.map((value): [string[], PolicyTable, boolean] => [['s'], { 'd/scope': value }, false]),
])('scope phase: scopes %j, %j: %s', async (scopes, table, isAllowed) => {
  const principal = { ...porc.principal, scopes };
  const decision = await decide({ 'd/scope': undefined, ...table }, { principal });
  expect(short(decision)).toEqual(
    isAllowed ? [true, 'scope', 'permitted'] : [false, 'scope', 'scope_denied'],
  );
});

it('names the first phase that denies', async () => {
  const denying = { 'd/op': -1, 'd/role': false, 'd/group': false, 'd/scope': false };
  const keys = Object.keys(denying) as (keyof typeof denying)[]; // of a literal
  const decided = keys.map(async (_, index) => {
    const before = keys.slice(0, index).map((key) => [key, granting[key]]);
    return (await decide({ ...denying, ...Object.fromEntries(before) })).phase;
  });
  expect(await Promise.all(decided)).toEqual(['operation', 'identity', 'resource', 'scope']);
});

it('takes the first matching entry of an operation', async () => {
  const spec = `${policiesYaml('p', 'q')}  roles: [{mrn: r, policy: p}]
  resource-groups: [{mrn: g, policy: p, default: true}]
  operations: [{selector: ["a", "b:read"], policy: p}, {selector: ["b:.*"], policy: q}]
`;
  const files = { 'd.yaml': domainYaml('d', spec) };
  const { policy } = policyOf({ 'd/p': 1, 'd/q': -1 }, files);
  const decisions = [];
  for (const operation of ['b:read', 'b:write', 'c', 'b:read']) {
    decisions.push(short(await policy.decide({ ...porc, operation }))[2]);
  }
  expect(decisions).toEqual([
    ...['operation_permitted', 'operation_denied', 'operation_unknown', 'operation_permitted'],
  ]);
});

it('denies an operation that two domains have an entry for, and asks no policy', async () => {
  const spec = `${policiesYaml('p')}  operations: [{selector: [op], policy: p}]\n`;
  const files = { 'd.yaml': domain, 'e.yaml': domainYaml('e', spec) };
  const { policy, questions } = policyOf({ ...granting, 'd/op': 1, 'e/p': 1 }, files);
  const decision = await policy.decide(porc);
  expect(short(decision)).toEqual([false, 'operation', 'operation_ambiguous']);
  expect(decision.reason).toContain('d, e');
  expect(questions).toEqual([]);
});

it('asks a policy once that serves several phases', async () => {
  const spec = `${policiesYaml('op', 'p')}  roles: [{mrn: r, policy: p}, {mrn: q, policy: p}]
  resource-groups: [{mrn: g, policy: p, default: true}]
  scopes: [{mrn: s, policy: p}]
  operations: [{selector: [op], policy: op}]
`;
  const { policy, questions } = policyOf({ 'd/op': 0, 'd/p': true }, { d: domainYaml('d', spec) });
  const principal = { sub: 'ada', mroles: ['r', 'q'], scopes: ['s'] };
  expect((await policy.decide({ ...porc, principal })).isAllowed).toBe(true);
  expect(questions.map(({ policies }) => policies)).toEqual([['d/op', 'd/p']]);
});

it.each([
  ['does not exist', undefined],
  ['is null', null],
  ['is a text', 'porc'],
  ['has another member', { ...porc, more: 1 }],
  ['has no principal', { ...porc, principal: undefined }],
  ['has no sub', { ...porc, principal: { mroles: ['r'] } }],
  ['has an empty sub', { ...porc, principal: { sub: '' } }],
  ['has roles that are no texts', { ...porc, principal: { sub: 'a', mroles: [1] } }],
  ['has scopes that are an object', { ...porc, principal: { sub: 'a', scopes: {} } }],
  ['has annotations that are a list', { ...porc, principal: { sub: 'a', mannotations: [] } }],
  ['has no operation', { ...porc, operation: '' }],
  ['has no resource', { ...porc, resource: null }],
  ['has a resource without an id', { ...porc, resource: { owner: 'ada' } }],
  ['has a resource with another member', { ...porc, resource: { id: 'a', more: 1 } }],
  ['has a context that is a text', { ...porc, context: 'a' }],
  ['has a long operation', { ...porc, operation: `op${'x'.repeat(POLICY_OPERATION_CHARACTERS)}` }],
  ['has a long resource', { ...porc, resource: 'x'.repeat(POLICY_RESOURCE_CHARACTERS + 1) }],
  ['is no JSON', { ...porc, context: { a: 1n } }],
  ['is a circle', circle()],
  ['is too large', { ...porc, context: { a: 'x'.repeat(POLICY_INPUT_BYTES) } }],
  ['is too deep', { ...porc, context: nested(POLICY_INPUT_DEPTH) }],
])('denies without asking when the question %s', async (_, given) => {
  const { policy, questions } = policyOf({ ...granting, 'd/op': 1 });
  expect(short(await policy.decide(given))).toEqual([false, 'input', 'input_invalid']);
  expect(questions).toEqual([]);
});

it('takes a question up to the limits', async () => {
  const large = {
    a: 'x'.repeat(POLICY_INPUT_BYTES - POLICY_RESOURCE_CHARACTERS - 1_000),
    deep: nested(POLICY_INPUT_DEPTH - 2),
  };
  const resource = 'x'.repeat(POLICY_RESOURCE_CHARACTERS);
  expect((await decide({}, { context: large, resource })).isAllowed).toBe(true);
});

it('counts what annotations add to the question', async () => {
  const half = 'x'.repeat(POLICY_INPUT_BYTES / 2);
  const spec = `${policiesYaml('op')}  operations: [{selector: [op], policy: op}]
  resource-groups: [{mrn: g, policy: op, default: true, annotations: [{name: a, value: ${half}}]}]
`;
  const { policy } = policyOf({ 'd/op': 1 }, { 'd.yaml': domainYaml('d', spec) });
  expect((await policy.decide(porc)).isAllowed).toBe(true);
  const decision = await policy.decide({ ...porc, context: { b: half } });
  expect(short(decision)).toEqual([false, 'input', 'input_invalid']);
});

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

function circle(): unknown {
  const one: Record<string, unknown> = {};
  one['self'] = one;
  return one;
}

it.each<[string, () => unknown]>([
  ['rejects', () => Promise.reject(new Error('gone'))],
  [
    'throws',
    () => {
      throw new Error('gone');
    },
  ],
  ['returns nothing', () => Promise.resolve([])],
  ['returns no list', () => Promise.resolve(undefined)],
  ['returns nothing of use', () => Promise.resolve([null, 1])],
  ['speaks of other policies', () => Promise.resolve([{ policy: 'other', value: 1 }])],
  [
    'returns two results of one policy',
    () =>
      Promise.resolve(['d/op', 'd/op'].map((policy) => ({ policy, value: 1, microseconds: 0 }))),
  ],
  [
    'returns a value together with an error',
    () => Promise.resolve([{ policy: 'd/op', value: 1, error: 'late', microseconds: 0 }]),
  ],
])('denies when the evaluator %s', async (_, evaluate) => {
  const { set } = readDomains(['d.yaml'], filesOf({ 'd.yaml': domain }));
  const evaluator = { evaluate, close: () => Promise.resolve() } as RegoEvaluator; // that breaks its promises
  const decision = await new DomainPolicy(set, evaluator).decide(porc);
  expect(short(decision)).toEqual([false, 'operation', 'operation_denied']);
});
