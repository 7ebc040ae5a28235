import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { TEST_PRINCIPALS, TEST_SUITE_CHARACTERS } from '../../model/limits/access-log-limits.ts';
import { readTestPrincipals } from './test-principals.ts';

function folderOf(files: Record<string, string>): (name: string) => string {
  const folder = mkdtempSync(path.join(tmpdir(), 'suites-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return (name) => path.join(folder, name);
}

function suite(name: string, principals: readonly unknown[]): string {
  const tests = principals.map((principal, index) => {
    return { name: `test ${index + 1}`, porc: { principal }, allow: true };
  });
  return JSON.stringify({ name, tests }); // which is YAML
}

it('has each principal once, by its own name', () => {
  const ada = { sub: 'ada', mroles: ['user'] };
  const inFolder = folderOf({
    'a.test.yaml': suite('A', [ada, ada, { sub: 'ada' }, 'mrn:nobody', { mroles: [] }]),
    'b.test.yaml': suite('B', [{ sub: 'bob' }, ada, { sub: 'ada', mgroups: [] }]),
  });
  expect(readTestPrincipals([inFolder('a.yaml'), inFolder('b.yaml')])).toEqual([
    { name: 'ada', suite: 'A', principal: ada },
    { name: 'ada (test 3)', suite: 'A', principal: { sub: 'ada' } },
    { name: 'test 5', suite: 'A', principal: { mroles: [] } },
    { name: 'bob', suite: 'B', principal: { sub: 'bob' } },
    { name: 'ada (test 3) 2', suite: 'B', principal: { sub: 'ada', mgroups: [] } },
  ]);
});

it('reads the suites of the policy files, and those beside them where there are none', () => {
  const inFolder = folderOf({
    'own.test.yaml': suite('Own', [{ sub: 'ada' }]),
    'other.test.yaml': suite('Other', [{ sub: 'bob' }]),
    'broken.test.yaml': 'tests: [',
    'notes.yaml': suite('Notes', [{ sub: 'eve' }]),
  });
  const names = (file: string) => readTestPrincipals([inFolder(file)]).map(({ name }) => name);
  expect(names('own.yaml')).toEqual(['ada']);
  expect(names('policies.yml')).toEqual(['bob', 'ada']);
  expect(readTestPrincipals(['/nowhere/policies.yaml'])).toEqual([]);
});

it('takes so many principals, and reads so much for them', () => {
  const many = Array.from({ length: TEST_PRINCIPALS + 1 }, (_, index) => ({ sub: `p${index}` }));
  const inFolder = folderOf({
    'a.test.yaml': suite('A', many),
    'b.test.yaml': suite('B', [{ sub: 'x'.repeat(TEST_SUITE_CHARACTERS) }]),
  });
  expect(readTestPrincipals([inFolder('a.yaml')])).toHaveLength(TEST_PRINCIPALS);
  expect(readTestPrincipals([inFolder('b.yaml')])).toEqual([]);
});
