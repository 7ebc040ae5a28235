/** @module-tag seeds */
import { fc, tries } from '../../../test/fixtures/fast-check.ts';
import { expect, it } from 'vitest';

import { domainYaml, filesOf } from '../../../test/fixtures/policies.ts';
import { findingLine } from '../findings.ts';
import { parseDomain } from './parse-domain.ts';

function findingsOf(text: string, files: Record<string, string> = {}): string[] {
  return parseDomain('/p/d.yaml', text, filesOf(files)).findings.map(findingLine);
}

/** The file of the first line of `spec` is line 6. */
function specFindings(spec: string, version?: string): string[] {
  return findingsOf(domainYaml('d', spec, version)).map((line) => line.replace('/p/d.yaml:', ''));
}

it('reads every member of the format', () => {
  const text = `
apiVersion: iamlite.manetu.io/v1beta1
kind: PolicyDomain
metadata: {name: d, description: about, labels: {team: a}}
spec:
  policy-libraries:
    - {mrn: l, name: n, description: t, rego: package l, dependencies: [other/l]}
  policies:
    - mrn: &p p
      name: n
      description: t
      dependencies: [l]
      rego: |
        package authz
  roles: [{mrn: r, name: n, description: t, policy: *p, annotations: [{name: a, value: 1}]}]
  scopes: [{mrn: s, policy: *p}]
  resource-groups: [{mrn: g, policy: *p, default: true, annotations: [{name: a, value: "2"}]}]
  groups: [{mrn: h, roles: [r], annotations: [{name: a, value: x, merge: union}]}]
  resources: [{name: n, description: t, selector: [".*"], group: g, annotations: []}]
  operations: [{name: n, description: t, selector: ["a", "b"], policy: *p}]
  mappers: [{name: n, description: t, selector: [".*"], rego: package mapper}]
  annotation-defaults: [{name: a, value: {b: [true]}, merge: deep}]
`;
  const { domain, findings } = parseDomain('/p/d.yaml', text, filesOf({}));
  expect(findings).toEqual([]);
  const at = (line: number, column: number) => ({ file: '/p/d.yaml', line, column });
  expect(domain).toMatchObject({
    name: 'd',
    libraries: [{ mrn: 'l', dependencies: [{ text: 'other/l' }] }],
    policies: [
      {
        mrn: 'p',
        name: 'n',
        location: at(9, 15),
        rego: { ...at(14, 9), source: 'package authz\n' },
        dependencies: [{ text: 'l', location: at(12, 22) }],
      },
    ],
    mappers: [{ mrn: 'mapper 0', rego: { source: 'package mapper' } }],
    roles: [{ mrn: 'r', policy: { text: 'p' }, annotations: [{ name: 'a', value: 1 }] }],
    scopes: [{ mrn: 's' }],
    resourceGroups: [{ mrn: 'g', isDefault: true, annotations: [{ name: 'a', value: 2 }] }],
    groups: [{ mrn: 'h', annotations: [{ name: 'a', value: 'x', merge: 'union' }] }],
    resources: [{ group: { text: 'g' }, selectors: [{ text: '.*' }], annotations: [] }],
    operations: [{ selectors: [{ text: 'a' }, { text: 'b' }], policy: { text: 'p' } }],
    annotationDefaults: [{ name: 'a', value: { b: [true] }, merge: 'deep' }],
  });
});

it('takes an empty entry for a missing one', () => {
  expect(specFindings('  roles:\n  policies:\n  operations: []\n')).toEqual([]);
});

it('takes the strategy of `annotation-defaults` for annotations that name none', () => {
  const spec = `  annotation-defaults: {merge: append}
  groups: [{mrn: g, annotations: [{name: a, value: 1}, {name: b, value: 1, merge: deep}]}]
`;
  const { domain } = parseDomain('d.yaml', domainYaml('d', spec), filesOf({}));
  expect(domain?.groups[0]?.annotations).toEqual([
    { name: 'a', value: 1, merge: 'append' },
    { name: 'b', value: 1, merge: 'deep' },
  ]);
});

const unknown = 'has a value that is not known: write one of';

it('reports everything that is wrong with a file at once, with its location', () => {
  const text = `
apiVersion: iamlite.manetu.io/v2
kind: Domain
metadata: {name: a/b, colour: red}
spec:
  roles:
    - mrn: r
      polcy: p
  scopes: no
  operations: [{selector: [], policy: 1}]
  groups: [{mrn: 'a b', annotations: [{value: 1, name: a, merge: mix}]}]
  annotation-defaults: {merge: mix, more: 1}
more: 1
`;
  const found = findingsOf(text).map((line) => line.replace('/p/d.yaml:', ''));
  expect(found.toSorted()).toEqual([
    '10:27: spec.operations[0].selector is empty: write at least one selector.',
    '10:39: spec.operations[0].policy is no text: write a text.',
    '11:18: spec.groups[0].mrn is no MRN: write it without spaces.',
    `11:66: spec.groups[0].annotations[0].merge ${unknown} replace, append, prepend, deep, union.`,
    `12:32: spec.annotation-defaults.merge ${unknown} replace, append, prepend, deep, union.`,
    '12:37: spec.annotation-defaults.more is not known here: write one of merge.',
    '13:1: more is not known here: write one of apiVersion, kind, metadata, spec.',
    `2:13: apiVersion ${unknown} iamlite.manetu.io/v1alpha3, iamlite.manetu.io/v1alpha4, iamlite.manetu.io/v1beta1.`,
    `3:7: kind ${unknown} PolicyDomain, PolicyDomainReference.`,
    '4:18: metadata.name is no name of a domain: write it without spaces and slashes.',
    '4:23: metadata.colour is not known here: write one of name, description, labels.',
    '7:7: spec.roles[0].policy is missing: add it.',
    '8:7: spec.roles[0].polcy is not known here: write one of mrn, name, description, policy, annotations.',
    '9:11: spec.scopes is no list: write a list.',
  ]);
});

it.each([
  ['', ['The file is no mapping: write a mapping.']],
  ['a text', ['The file is no mapping: write a mapping.']],
  ['[]', ['The file is no mapping: write a mapping.']],
])('refuses %j', (text, sentences) => {
  expect(findingsOf(text)).toEqual(sentences.map((one) => `/p/d.yaml:1:1: ${one}`));
});

it('knows resources from v1alpha4 on', () => {
  const spec = '  resources: [{selector: [a], group: g}]\n';
  expect(specFindings(spec, 'v1alpha3')).toEqual([
    '6:3: spec.resources is known from v1alpha4 on: raise apiVersion, or remove the resources.',
  ]);
  expect(specFindings(spec, 'v1alpha4')).toEqual([]);
});

it.each([
  ['v1beta1', '5', 5],
  ['v1beta1', '"5"', 5],
  ['v1beta1', '"true"', true],
  ['v1beta1', 'low', 'low'],
  ['v1beta1', `'"low"'`, 'low'],
  ['v1beta1', `'[1, {"a": null}]'`, [1, { a: null }]],
  ['v1beta1', '[1, "2"]', [1, '2']],
  ['v1beta1', '"[1"', '[1'],
  ['v1beta1', 'null', null],
  ['v1alpha3', '"5"', 5],
  ['v1alpha3', `'"low"'`, 'low'],
  ['v1alpha4', `'{"a": [1]}'`, { a: [1] }],
])('reads in %s the annotation %s as %j', (version, written, value) => {
  const spec = `  groups: [{mrn: g, annotations: [{name: a, value: ${written}}]}]\n`;
  const { domain } = parseDomain('d.yaml', domainYaml('d', spec, version), filesOf({}));
  expect(domain?.groups[0]?.annotations).toEqual([{ name: 'a', value }]);
});

it.each([
  ['v1alpha3', 'low', `is no JSON: in this version a text needs quotes of its own, as in '"low"'`],
  ['v1alpha4', '5', `is no text: in this version write a text that holds JSON, as in '5'`],
  ['v1alpha4', '[1]', `is no text: in this version write a text that holds JSON, as in '[1]'`],
  [
    'v1beta1',
    `'${'['.repeat(100)}${']'.repeat(100)}'`,
    'goes deeper than 64 levels: make it flatter',
  ],
])('refuses in %s the annotation %s', (version, written, problem) => {
  const spec = `  groups:\n    - mrn: g\n      annotations: [{name: a, value: ${written}}]\n`;
  expect(specFindings(spec, version)).toEqual([
    `8:38: spec.groups[0].annotations[0].value ${problem}.`,
  ]);
});

it('refuses two annotations of one name, and selectors that do not compile', () => {
  const spec = `  groups: [{mrn: g, annotations: [{name: a, value: 1}, {name: a, value: 2}]}]
  operations: [{selector: ["a", "("], policy: p}]
  mappers: [{selector: ["*"], rego: package m}]
`;
  expect(specFindings(spec)).toEqual([
    '6:63: spec.groups[0].annotations[1].name exists already: keep one.',
    expect.stringMatching(/^7:33: spec.operations\[0\].selector\[1\] is no RE2 expression/),
    expect.stringMatching(/^8:25: spec.mappers\[0\].selector\[0\] is no RE2 expression/),
  ]);
});

const reference = (members: string): string =>
  domainYaml('d', `  policies: [{mrn: p, ${members}}]\n`).replace(
    'PolicyDomain',
    'PolicyDomainReference',
  );

it('reads Rego from files beside the one that names them, and above it', () => {
  for (const [name, file] of [
    ['x.rego', '/p/x.rego'],
    ['../lib/x.rego', '/lib/x.rego'],
    ['/abs/x.rego', '/abs/x.rego'],
  ] as const) {
    const read = parseDomain(
      '/p/d.yaml',
      reference(`rego_filename: ${name}`),
      filesOf({ [file]: 'package authz' }),
    );
    expect(read.domain?.policies[0]?.rego).toEqual({
      ...{ file, line: 1, column: 1 },
      source: 'package authz',
    });
  }
});

it.each([
  [reference('rego: package a'), undefined],
  [
    reference('rego_filename: no.rego'),
    'rego_filename names /p/no.rego, which does not exist: correct the name',
  ],
  [
    reference('rego: package a, rego_filename: a'),
    'rego_filename is given beside `rego`: keep one of them',
  ],
  [reference('name: a'), 'rego is missing: add it, or `rego_filename`'],
  [domainYaml('d', '  policies: [{mrn: p}]\n'), 'rego is missing: add it'],
  [domainYaml('d', '  policies: [{mrn: p, rego: " "}]\n'), 'rego is empty: write the policy'],
  [
    domainYaml('d', '  policies: [{mrn: p, rego_filename: a}]\n'),
    'rego_filename is for a PolicyDomainReference: change kind, or write `rego`',
  ],
])('finds in %j: %s', (text, problem) => {
  const sentences = findingsOf(text).map((line) => line.split(': ').slice(1).join(': '));
  expect(sentences).toEqual(problem === undefined ? [] : [`spec.policies[0].${problem}.`]);
});

it('makes a domain or findings of any document, and throws nothing', () => {
  const names = fc.constantFrom(
    ...['apiVersion', 'kind', 'metadata', 'spec', 'policies', 'roles', 'mrn', 'policy', 'selector'],
    ...['annotations', 'value', 'name', 'merge', 'resource-groups', 'rego', '__proto__', 'groups'],
  );
  const texts = fc.constantFrom('iamlite.manetu.io/v1beta1', 'PolicyDomain', 'd', 'mrn:a', '(', '');
  const documents = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      texts,
      fc.jsonValue(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(names, tie('value'), { maxKeys: 4 }),
    ),
  })).value;
  fc.assert(
    fc.property(documents, (document) => {
      const spec = {
        apiVersion: 'iamlite.manetu.io/v1beta1',
        kind: 'PolicyDomain',
        spec: document,
      };
      for (const one of [document, { ...spec, metadata: { name: 'd' } }]) {
        const read = parseDomain('d.yaml', JSON.stringify(one) ?? '', filesOf({}));
        expect(read.domain !== undefined || read.findings.length > 0).toBe(true);
      }
    }),
    { numRuns: tries(200) },
  );
});
