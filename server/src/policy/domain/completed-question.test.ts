import { expect, it } from 'vitest';
import {
  domainYaml,
  filesOf,
  policiesYaml,
  tableEvaluator,
} from '../../../test/fixtures/policies.ts';
import { isObject, type Json } from '../../model/json.ts';
import { DomainPolicy } from './domain-policy.ts';
import { readDomains } from './load-domains.ts';

/** The input of policies, or the code of the denial when they are not asked. */
async function inputOf(files: Record<string, string>, porc: object): Promise<Json> {
  const { set, findings } = readDomains(Object.keys(files), filesOf(files));
  expect(findings).toEqual([]);
  const { evaluator, questions } = tableEvaluator({});
  const { code } = await new DomainPolicy(set, evaluator).decide(porc);
  return questions[0]?.input ?? code;
}

const annotated = (value: string) => `annotations: [{name: a, value: ${value}}]`;
const operations = '  operations: [{selector: [".*"], policy: p}]\n';

it('completes annotations of the principal: its own, scopes, groups, roles, defaults', async () => {
  const spec = `${policiesYaml('p')}${operations}
  resource-groups: [{mrn: g, policy: p, default: true}]
  annotation-defaults:
    - {name: default, value: d, merge: append}
    - {name: all, value: [default], merge: append}
  roles:
    - {mrn: r1, policy: p, annotations: [{name: all, value: [r1]}, {name: role, value: 1}]}
    - {mrn: r2, policy: p, annotations: [{name: all, value: [r2]}, {name: role, value: 2}]}
    - {mrn: r3, policy: p, annotations: [{name: all, value: [r3]}, {name: role, value: 3}]}
  groups:
    - {mrn: h1, roles: [r3, r1], annotations: [{name: all, value: [h1]}, {name: role, value: h1}]}
    - {mrn: h2, annotations: [{name: all, value: [h2]}]}
  scopes:
    - {mrn: s1, policy: p, annotations: [{name: all, value: [s1]}]}
    - {mrn: s2, policy: p, annotations: [{name: all, value: [s2]}]}
`;
  const principal = {
    sub: 'ada',
    mrealm: 'home',
    mroles: ['r1', 'r2'],
    mgroups: ['h1', 'h2', 'none'],
    scopes: ['s1', 's2'],
    mclearance: 'LOW',
    mannotations: { all: ['own'], own: { x: 1 } },
    email: 'ada@x',
    tenant: null,
  };
  const input = await inputOf(
    { 'd.yaml': domainYaml('d', spec) },
    { principal, operation: 'o', resource: 'x' },
  );
  expect(input).toEqual({
    principal: {
      ...principal,
      mannotations: {
        // Every value behind the weaker ones; of two roles, the first that is named is the stronger.
        all: ['default', 'r3', 'r2', 'r1', 'h2', 'h1', 's2', 's1', 'own'],
        default: 'd',
        role: 'h1',
        own: { x: 1 },
      },
    },
    operation: 'o',
    resource: { id: 'x', group: 'g', annotations: {} },
    context: {},
  });
});

it('takes one name without a list, and null for none', async () => {
  const spec = `${policiesYaml('p')}${operations}  resource-groups: [{mrn: g, policy: p, default: true}]\n`;
  const principal = { sub: 'ada', mroles: 'r', mgroups: null, scopes: ['s', 's'], mrealm: null };
  const input = await inputOf(
    { 'd.yaml': domainYaml('d', spec) },
    { principal, operation: 'o', resource: { id: 'x', owner: null }, context: null },
  );
  expect(input).toEqual({
    principal: { sub: 'ada', mroles: ['r'], mgroups: [], scopes: ['s'], mannotations: {} },
    operation: 'o',
    resource: { id: 'x', group: 'g', annotations: {} },
    context: {},
  });
});

const base = `${policiesYaml('p')}${operations}  resource-groups:
    - {mrn: g, policy: p, ${annotated('{g: 1, x: g}')}}
    - {mrn: h, policy: p, annotations: [{name: a, value: {h: 1, x: h}, merge: deep}]}
  resources:
    - {selector: ["mrn:thread:1", "mrn:run:.*"], group: h, ${annotated('{r: 1, x: r}')}}
    - {selector: ["mrn:thread:.*"], group: g}
`;
const withDefault = `${base}`.replace('{mrn: g,', '{mrn: g, default: true,');

async function resourceOf(files: Record<string, string>, resource: unknown): Promise<unknown> {
  const input = await inputOf(files, { principal: { sub: 'ada' }, operation: 'o', resource });
  return typeof input === 'object' && input !== null && 'resource' in input
    ? input['resource']
    : input;
}

it.each<[string, unknown, unknown]>([
  [base, 'mrn:thread:2', { id: 'mrn:thread:2', group: 'g', annotations: { a: { g: 1, x: 'g' } } }],
  // The first entry that matches; its annotations over those of the group, by the group's strategy.
  [
    base,
    'mrn:thread:1',
    { id: 'mrn:thread:1', group: 'h', annotations: { a: { h: 1, r: 1, x: 'r' } } },
  ],
  [base, 'mrn:agent:x', 'resource_unknown'],
  [
    withDefault,
    'mrn:agent:x',
    { id: 'mrn:agent:x', group: 'g', annotations: { a: { g: 1, x: 'g' } } },
  ],
  // An object is looked up by its id, too; its own annotations are the strongest.
  [
    base,
    {
      id: 'mrn:run:1',
      owner: 'ada',
      classification: 'LOW',
      annotations: { a: { x: 'own' }, b: 1 },
    },
    {
      ...{ id: 'mrn:run:1', owner: 'ada', classification: 'LOW', group: 'h' },
      annotations: { a: { h: 1, r: 1, x: 'own' }, b: 1 },
    },
  ],
  // With its own group no selector is looked at.
  [
    base,
    { id: 'mrn:thread:1', group: 'g' },
    { id: 'mrn:thread:1', group: 'g', annotations: { a: { g: 1, x: 'g' } } },
  ],
  [withDefault, { id: 'mrn:thread:1', group: 'none' }, 'resource_unknown'],
])('completes the resource (%#)', async (spec, resource, expected) => {
  expect(await resourceOf({ 'd.yaml': domainYaml('d', spec) }, resource)).toEqual(expected);
});

const groupsOnly = (name: string, mrn: string, more = '') =>
  domainYaml(name, `${policiesYaml('p')}  resource-groups: [{mrn: ${mrn}, policy: p${more}}]\n`);
const isDefault = ', default: true';

it.each<[string, Record<string, string>, unknown]>([
  [
    'a selector of another domain before the own default',
    {
      d: domainYaml('d', withDefault),
      e: `${groupsOnly('e', 'e')}  resources: [{selector: [mrn:x], group: e}]\n`,
    },
    'e',
  ],
  [
    'the own default before that of another domain',
    {
      d: domainYaml('d', withDefault),
      e: groupsOnly('e', 'e', isDefault),
    },
    'g',
  ],
  [
    'the one default of other domains',
    { d: domainYaml('d', base), e: groupsOnly('e', 'e', isDefault) },
    'e',
  ],
  [
    'no one of two defaults of other domains',
    {
      d: domainYaml('d', base),
      e: groupsOnly('e', 'e', isDefault),
      f: groupsOnly('f', 'f', isDefault),
    },
    'resource_ambiguous',
  ],
  [
    'nothing where two domains have a selector',
    {
      d: `${domainYaml('d', withDefault)}    - {selector: [mrn:x], group: g}\n`,
      e: `${groupsOnly('e', 'e')}  resources: [{selector: ["mrn:.*"], group: e}]\n`,
    },
    'resource_ambiguous',
  ],
])('of several domains takes %s', async (_, files, expected) => {
  const resource = await resourceOf(files, 'mrn:x');
  const group = isObject(resource) ? resource['group'] : resource;
  expect(group).toBe(expected);
});

it('looks roles, groups and scopes up over all domains', async () => {
  const files = {
    d: domainYaml('d', withDefault),
    e: domainYaml(
      'e',
      `${policiesYaml('p')}  roles: [{mrn: r, policy: d/p, ${annotated('e')}}]\n  groups: [{mrn: h, roles: [r]}]\n`,
    ),
  };
  const principal = { sub: 'ada', mgroups: ['h'] };
  expect(await inputOf(files, { principal, operation: 'o', resource: 'x' })).toMatchObject({
    principal: { mannotations: { a: 'e' } },
  });
});
