import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, it } from 'vitest';

import { findingLine } from '../findings.ts';
import { readDomains } from './load-domains.ts';
import { readPolicyFile } from './policy-files.ts';
import { readPorc } from './porc.ts';
import { readSuite } from './suite.ts';

const folder = fileURLToPath(new URL('../../../../examples/policies/', import.meta.url));
const names = readdirSync(folder).flatMap((name) => name.match(/^([^.]+)\.yaml$/)?.[1] ?? []);

it('has examples', () => {
  expect(names.toSorted()).toEqual(['agents', 'auditors', 'owner-only', 'roles', 'tenants']);
});

it.each(names)('%s is its own domain without findings', (name) => {
  const { set, findings } = readDomains([`${folder}${name}.yaml`]);
  expect(findings.map(findingLine)).toEqual([]);
  expect(set.domains.map((domain) => domain.name)).toEqual([name]);
});

it.each(names)('%s has tests of both answers, each a question that can be asked', (name) => {
  const file = `${folder}${name}.test.yaml`;
  const read = readPolicyFile(file);
  const suite = readSuite(file, 'text' in read ? read.text : '');
  expect(suite).not.toHaveProperty('findings');
  const tests = 'suite' in suite ? suite.suite.tests : [];
  expect(new Set(tests.map(({ isAllowed }) => isAllowed))).toEqual(new Set([true, false]));
  for (const { porc } of tests) expect(readPorc(porc)).toHaveProperty('porc');
});
