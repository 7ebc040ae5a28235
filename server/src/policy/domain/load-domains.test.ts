import { expect, it } from 'vitest';

import {
  domainYaml,
  filesOf,
  policiesYaml,
  tableEvaluator,
} from '../../../test/fixtures/policies.ts';
import { findingLine, PolicyFindings, sortedFindings } from '../findings.ts';
import type { OpenRegoEvaluator } from '../rego/port.ts';
import { openDomains, readDomains } from './load-domains.ts';

function read(files: Record<string, string>) {
  const { set, findings } = readDomains(Object.keys(files), filesOf(files));
  return { set, lines: sortedFindings(findings).map(findingLine) };
}

it('finds libraries of its own domain and of others, through libraries too', () => {
  const { set, lines } = read({
    'a.yaml': domainYaml(
      'a',
      `  policy-libraries:
    - {mrn: l1, rego: package l1, dependencies: [l2, b/l3]}
    - {mrn: l2, rego: package l2, dependencies: [b/l3]}
  policies: [{mrn: p, rego: package authz, dependencies: [l1]}, {mrn: q, rego: package authz}]
`,
    ),
    'b.yaml': domainYaml('b', '  policy-libraries: [{mrn: l3, rego: package l3}]\n'),
  });
  expect(lines).toEqual([]);
  expect(set.policies.map(({ key, libraries }) => [key, libraries])).toEqual([
    ['a/p', ['a/l1', 'a/l2', 'b/l3']],
    ['a/q', []],
  ]);
  expect(set.libraries.map(({ key }) => key).toSorted()).toEqual(['a/l1', 'a/l2', 'b/l3']);
});

it('shows the circle in which libraries need each other', () => {
  const { lines, set } = read({
    'a.yaml': domainYaml(
      'a',
      `  policy-libraries:
    - {mrn: l1, rego: package l1, dependencies: [l2]}
    - {mrn: l2, rego: package l2, dependencies: [b/l3]}
    - {mrn: l4, rego: package l4, dependencies: [l4]}
  policies: [{mrn: p, rego: package authz, dependencies: [l1]}]
`,
    ),
    'b.yaml': domainYaml(
      'b',
      '  policy-libraries: [{mrn: l3, rego: package l3, dependencies: [a/l2]}]\n',
    ),
  });
  const sentence = (steps: string) =>
    `Libraries need each other in a circle: ${steps}. Remove one of these dependencies.`;
  expect(lines).toEqual([
    `b.yaml:6:65: ${sentence('a/l2 → b/l3 → a/l2')}`,
    `a.yaml:9:50: ${sentence('a/l4 → a/l4')}`,
  ]);
  expect(set.policies).toEqual([]);
});

it('finds every reference to what does not exist, in all files at once', () => {
  const { lines } = read({
    'a.yaml': domainYaml(
      'a',
      `  policies: [{mrn: p, rego: package authz, dependencies: [l, p]}]
  roles: [{mrn: r, policy: none}]
  scopes: [{mrn: s, policy: q}]
  resource-groups: [{mrn: g, policy: b/none}]
  groups: [{mrn: h, roles: [r, none]}]
  resources: [{selector: [a], group: h}]
  operations: [{selector: [a], policy: p}, {selector: [b], policy: none}]
`,
    ),
    'b.yaml': domainYaml('b', policiesYaml('q')),
    'c.yaml': 'apiVersion: 1',
  });
  expect(lines.filter((line) => line.startsWith('a.yaml'))).toEqual([
    'a.yaml:6:59: There is no library l in the domain a: define it, or correct the MRN.',
    'a.yaml:6:62: There is no library p in the domain a: define it, or correct the MRN.',
    'a.yaml:7:28: There is no policy none in the domain a: define it, or correct the MRN.',
    'a.yaml:8:29: There is no policy q in the domain a: write b/q for that of the other domain.',
    'a.yaml:9:38: There is no policy b/none in the domain a: define it, or correct the MRN.',
    'a.yaml:10:32: There is no role none in the domain a: define it, or correct the MRN.',
    'a.yaml:11:38: There is no resource group h in the domain a: define it, or correct the MRN.',
    'a.yaml:12:68: There is no policy none in the domain a: define it, or correct the MRN.',
  ]);
  expect(lines.filter((line) => line.startsWith('c.yaml')).length).toBe(4);
});

it('refuses duplicates: domains, MRNs of one kind, names of Rego, defaults', () => {
  const { lines } = read({
    'a.yaml': domainYaml(
      'a',
      `  policy-libraries: [{mrn: p, rego: package l}]
  policies: [{mrn: p, rego: package authz}]
  roles: [{mrn: r, policy: p}, {mrn: r, policy: p}]
  resource-groups:
    - {mrn: g, policy: p, default: true}
    - {mrn: h, policy: p, default: true}
`,
    ),
    'b.yaml': domainYaml('a', '  roles:\n'),
    'c.yaml': domainYaml('c', `${policiesYaml('p')}  roles: [{mrn: r, policy: p}]\n`),
  });
  expect(lines).toEqual([
    'b.yaml:4:9: The domain a is in a.yaml already: give one of them another name.',
    'a.yaml:7:20: The policy or library p exists already (a.yaml:6): give one of them another MRN.',
    'a.yaml:8:38: The role r exists already (a.yaml:8): give one of them another MRN.',
    'a.yaml:11:13: h is a second default beside g: keep `default` of one of them.',
    // Principals name roles by their MRN alone. Policies are named within their domain, so p may be in both.
    'c.yaml:8:17: The role r exists already (a.yaml:8): give one of them another MRN.',
  ]);
});

it('distinguishes policies by a fingerprint of their Rego and that of their libraries', () => {
  const fingerprintOf = (rego: string, library: string, more = '') => {
    const spec = `  policy-libraries: [{mrn: l, rego: ${library}}]
  policies: [{mrn: p, rego: ${rego}, dependencies: [l]${more}}]
`;
    return read({ 'a.yaml': domainYaml('a', spec) }).set.policies[0]?.fingerprint;
  };
  const fingerprint = fingerprintOf('package authz', 'package l');
  expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
  expect(fingerprintOf('package authz', 'package l', ', name: another')).toBe(fingerprint);
  expect(fingerprintOf('package  authz', 'package l')).not.toBe(fingerprint);
  expect(fingerprintOf('package authz', 'package  l')).not.toBe(fingerprint);
});

const valid = domainYaml(
  'a',
  `  policies:
    - mrn: p
      rego: |
        package authz
  policy-libraries: [{mrn: l, rego: package l}]
  mappers: [{rego: package m}]
`,
);

it('has the evaluator compile everything, each text with the location where it begins', async () => {
  const { open, programs } = tableEvaluator({});
  await openDomains(['a.yaml'], open, filesOf({ 'a.yaml': valid }));
  expect(programs).toEqual([
    {
      policies: [{ key: 'a/p', file: 'a.yaml', line: 9, source: 'package authz\n', libraries: [] }],
      libraries: [{ key: 'a/l', file: 'a.yaml', line: 10, source: 'package l' }],
      checked: [{ key: 'a/mapper 0 mapper 0', file: 'a.yaml', line: 11, source: 'package m' }],
    },
  ]);
});

it('reports what is wrong with the Rego together with the rest, in the columns of the file', async () => {
  const open: OpenRegoEvaluator = () =>
    Promise.reject(
      new PolicyFindings([{ key: 'a/p', file: 'a.yaml', line: 9, column: 9, message: 'No.' }]),
    );
  const files = { 'a.yaml': `${valid}  more: 1\n`, 'b.yaml': domainYaml('b', '  more: 1\n') };
  const opened = openDomains(Object.keys(files), open, filesOf(files));
  await expect(opened).rejects.toThrow(PolicyFindings);
  const findings = await opened.catch((error: unknown) => (error as PolicyFindings).findings); // as expected above
  expect((findings as PolicyFindings['findings']).map(findingLine)).toEqual([
    'a.yaml:9:17: No.',
    expect.stringMatching(/^a.yaml:12:3: spec.more is not known here/),
    expect.stringMatching(/^b.yaml:6:3: spec.more is not known here/),
  ]);
});

it('compiles and looks up what it can of a file with unknown members', async () => {
  const { open, programs } = tableEvaluator({});
  const text = `${valid.replace('mrn: p', 'mrn: p\n      colour: red')}  roles: [{mrn: r, policy: none}]\n`;
  await expect(openDomains(['a.yaml'], open, filesOf({ 'a.yaml': text }))).rejects.toMatchObject({
    findings: [
      { line: 8, message: expect.stringContaining('colour is not known here') as string },
      { line: 13, message: expect.stringContaining('There is no policy none') as string },
    ],
  });
  expect(programs[0]?.policies.map(({ key }) => key)).toEqual(['a/p']);
});

it('closes the evaluator when only the files are wrong', async () => {
  const { open, state } = tableEvaluator({});
  const files = { 'a.yaml': valid, 'b.yaml': domainYaml('a', '  roles:\n') };
  await expect(openDomains(Object.keys(files), open, filesOf(files))).rejects.toThrow(
    'The policies cannot be used:\nb.yaml:4:9: The domain a is in a.yaml already: give one of them another name.',
  );
  expect(state.isClosed).toBe(true);
});

it('passes on what is wrong with the evaluator itself', async () => {
  const open: OpenRegoEvaluator = () => Promise.reject(new Error('no memory'));
  await expect(openDomains(['a.yaml'], open, filesOf({ 'a.yaml': valid }))).rejects.toThrow(
    'no memory',
  );
});
