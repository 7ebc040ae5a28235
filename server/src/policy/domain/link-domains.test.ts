import { expect, it } from 'vitest';

import { POLICY_LIBRARY_DEPTH, POLICY_MODULES } from '../../model/limits/policy-limits.ts';
import { findingLine } from '../findings.ts';
import type { PolicyDomain, Rule } from './domain.ts';
import { linkDomains } from './link-domains.ts';

const location = { file: 'd.yaml', line: 1, column: 1 };

function rule(mrn: string, ...dependencies: string[]): Rule {
  const references = dependencies.map((text) => ({ text, location }));
  return {
    mrn,
    location,
    rego: { ...location, source: 'package authz' },
    dependencies: references,
  };
}

function domainOf(name: string, parts: Partial<PolicyDomain>): PolicyDomain {
  const nothing = { libraries: [], policies: [], mappers: [], roles: [], scopes: [] };
  const lists = { resourceGroups: [], groups: [], resources: [], operations: [] };
  return { ...nothing, ...lists, name, file: 'd.yaml', location, annotationDefaults: [], ...parts };
}

const many = (count: number) => Array.from({ length: count }, (_, index) => rule(`p${index}`));

it('holds the number of policies, libraries and mappers of all files', () => {
  const first = domainOf('a', { policies: many(POLICY_MODULES - 3), libraries: many(0) });
  const rest = { libraries: [rule('l')], mappers: [rule('mapper 0')] };
  expect(linkDomains([first, domainOf('b', { ...rest, policies: many(1) })]).findings).toEqual([]);
  const { findings } = linkDomains([first, domainOf('b', { ...rest, policies: many(2) })]);
  expect(findings.map(findingLine)).toEqual([
    'd.yaml:1:1: There are more than 5000 policies, libraries and mappers up to here: use fewer.',
  ]);
});

it('follows a chain of libraries up to the limit', () => {
  const chain = (length: number) => {
    const libraries = Array.from({ length }, (_, index) =>
      index === length - 1 ? rule(`l${index}`) : rule(`l${index}`, `l${index + 1}`),
    );
    return linkDomains([domainOf('a', { libraries, policies: [rule('p', 'l0')] })]);
  };
  const { set, findings } = chain(POLICY_LIBRARY_DEPTH);
  expect(findings).toEqual([]);
  expect(set.policies[0]?.libraries.length).toBe(POLICY_LIBRARY_DEPTH);
  expect(chain(POLICY_LIBRARY_DEPTH + 1).findings.map(findingLine)).toEqual([
    'd.yaml:1:1: More than 100 libraries need one another in a row: put some together.',
  ]);
});

it('leaves out what needs something whose Rego could not be read, which was found before', () => {
  const broken = { ...rule('l2'), rego: undefined };
  const { set, findings } = linkDomains([
    domainOf('a', {
      libraries: [rule('l1', 'l2'), broken, rule('l3')],
      policies: [rule('p', 'l1'), rule('q', 'l3'), { ...rule('s'), rego: undefined }],
    }),
  ]);
  expect(findings).toEqual([]);
  expect(set.policies.map(({ key }) => key)).toEqual(['a/q']);
  expect(set.libraries.map(({ key }) => key)).toEqual(['a/l3']);
});
