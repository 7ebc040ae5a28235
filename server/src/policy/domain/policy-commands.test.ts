import { expect, it } from 'vitest';

import {
  domainYaml,
  filesOf,
  policiesYaml,
  type PolicyTable,
  tableEvaluator,
} from '../../../test/fixtures/policies.ts';
import { explainPolicy, lintPolicies, testPolicies } from './policy-commands.ts';

const domain = domainYaml(
  'd',
  `${policiesYaml('op', 'role', 'group')}  roles: [{mrn: r, policy: role}]
  resource-groups: [{mrn: g, policy: group, default: true}]
  operations: [{selector: [op], policy: op}]
`,
);
const suite = `name: Threads
tests:
  - name: ada may
    porc: &ada {principal: {sub: ada, mroles: [r]}, operation: op, resource: x}
    allow: true
  - name: nobody else may
    porc: {<<: *ada, principal: {sub: bob}}
    allow: false
`;
const porc = JSON.stringify({
  principal: { sub: 'ada', mroles: ['r'] },
  operation: 'op',
  resource: 'x',
});
const granting = { 'd/op': 0, 'd/role': true, 'd/group': true };

function command(files: Record<string, string> = {}, table: PolicyTable = granting) {
  const { open, state } = tableEvaluator(table);
  const readFile = filesOf({ 'd.yaml': domain, 's.yaml': suite, ...files });
  return { command: { policies: ['d.yaml'], open, readFile }, state };
}

it('lints: nothing to find is exit code 0', async () => {
  const { command: base, state } = command();
  expect(await lintPolicies(base)).toEqual({
    lines: ['1 file, 3 policies: no findings.'],
    exitCode: 0,
  });
  expect(state.isClosed).toBe(true);
});

it('lints: every finding of every file is a line, exit code 1', async () => {
  const { command: base } = command({ 'd.yaml': domain.replace('policy: role}', 'policy: none}') });
  const policies = ['d.yaml', 'none.yaml'];
  expect(await lintPolicies({ ...base, policies })).toEqual({
    lines: [
      'none.yaml:1:1: This file does not exist: correct the name.',
      'd.yaml:10:28: There is no policy none in the domain d: define it, or correct the MRN.',
      '2 findings.',
    ],
    exitCode: 1,
  });
});

it('tests: passes when every answer is the expected one', async () => {
  const { command: base, state } = command();
  expect(await testPolicies({ ...base, suites: ['s.yaml'] })).toEqual({
    lines: ['Threads', '  passed  ada may', '  passed  nobody else may', '2 tests, all passed.'],
    exitCode: 0,
  });
  expect(state.isClosed).toBe(true);
});

it('tests: a wrong answer is explained, exit code 1', async () => {
  const { command: base } = command({}, { ...granting, 'd/group': false });
  const { lines, exitCode } = await testPolicies({ ...base, suites: ['s.yaml'] });
  expect(exitCode).toBe(1);
  expect(lines.slice(0, 3)).toEqual([
    'Threads',
    '  FAILED  ada may: expected allowed (s.yaml:3)',
    expect.stringContaining('DENIED by the resource phase: group denies (false).'),
  ]);
  expect(lines.at(-1)).toBe('2 tests, 1 failed.');
});

it('tests: a question that is none proves no denial', async () => {
  const wrong = `name: W\ntests: [{name: no sub, porc: {principal: {}, operation: op, resource: x}, allow: false}]\n`;
  const { command: base } = command({ 's.yaml': wrong });
  expect((await testPolicies({ ...base, suites: ['s.yaml'] })).exitCode).toBe(1);
});

it('tests: a suite that cannot be read is found before any policy is opened', async () => {
  const { command: base } = command({
    'w.yaml': 'name: W\ntests: [{name: a, allow: 1, more: 2}]\n',
  });
  expect(await testPolicies({ ...base, suites: ['w.yaml', 'none.yaml'] })).toEqual({
    lines: [
      'w.yaml:2:9: tests[0].porc is missing: add it.',
      'w.yaml:2:26: tests[0].allow is neither true nor false: write one of them.',
      'w.yaml:2:29: tests[0].more is not known here: write one of name, porc, allow.',
      'none.yaml:1:1: This file does not exist: correct the name.',
      '4 findings.',
    ],
    exitCode: 1,
  });
});

it('explains one question: every phase, every policy, and where it is written', async () => {
  const { command: base, state } = command();
  const { lines, exitCode } = await explainPolicy({ ...base, porc });
  expect(exitCode).toBe(0);
  expect(lines.map((line) => line.replace(/[\d.]+ ms/, 'T'))).toEqual([
    'ALLOWED by the scope phase: Every phase grants. (permitted, T)',
    '  operation  continues (operation_passed)',
    '    passes  op: op passes (0). (policy_passes; op of d, d.yaml:7, T)',
    '  identity   grants (identity_permitted)',
    '    grants  r: role grants (true). (policy_grants; role of d, d.yaml:8, T)',
    '  resource   grants (resource_permitted)',
    '    grants  g: group grants (true). (policy_grants; group of d, d.yaml:9, T)',
    '  scope      grants: The principal has no scope, so none holds it back. (scope_missing)',
  ]);
  expect(state.isClosed).toBe(true);
});

it('explains a denial with exit code 0, and lets no name move the cursor', async () => {
  const { command: base } = command();
  const evil = JSON.stringify({ ...JSON.parse(porc), operation: '\u001B[2J' });
  const { lines, exitCode } = await explainPolicy({ ...base, porc: evil });
  expect(exitCode).toBe(0);
  expect(lines[0]).toContain(
    'DENIED by the operation phase: No domain has an entry that matches the operation \uFFFD[2J.',
  );
});

it.each([
  ['lint without files', () => lintPolicies({ ...command().command, policies: [] })],
  ['test without files', () => testPolicies({ ...command().command, policies: [], suites: ['s'] })],
  ['test without suites', () => testPolicies({ ...command().command, suites: [] })],
  ['explain without files', () => explainPolicy({ ...command().command, policies: [], porc })],
  ['explain what is no JSON', () => explainPolicy({ ...command().command, porc: '{' })],
])('is wrong usage, exit code 2: %s', async (_, run) => {
  const { lines, exitCode } = await run();
  expect(exitCode).toBe(2);
  expect(lines).toEqual([expect.stringMatching(/^Error: .*\.$/)]);
});
