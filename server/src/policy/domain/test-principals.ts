import { readdirSync } from 'node:fs';
import path from 'node:path';
import { isObject } from '../../model/json.ts';
import {
  TEST_PRINCIPALS,
  TEST_SUITE_CHARACTERS,
  TEST_SUITES,
} from '../../model/limits/access-log-limits.ts';
import { readPolicyFile } from './policy-files.ts';
import { readSuite } from './suite.ts';

/** A principal in policy tests. */
export interface TestPrincipal {
  /** Unique within one list: its `sub`, with the name of the test where several have the same. */
  name: string;
  /** The name of the suite. */
  suite: string;
  /** Its claims. */
  principal: Readonly<Record<string, unknown>>;
}

/**
 * The principals of policy tests, without duplicates: those of `a.test.yaml` for the policy file `a.yaml`; where no
 * policy file has such a suite, those of every `*.test.yaml` in its folder. Unreadable suites are skipped. Never
 * throws.
 */
export function readTestPrincipals(policyFiles: readonly string[]): TestPrincipal[] {
  const found = new Map<string, TestPrincipal>();
  const names = new Set<string>();
  let characters = 0;
  for (const file of suitesOf(policyFiles)) {
    const read = readPolicyFile(file);
    if ('problem' in read) continue;
    characters += read.text.length;
    if (characters > TEST_SUITE_CHARACTERS) break;
    const suite = readSuite(file, read.text);
    if (!('suite' in suite)) continue;
    for (const { name: test, porc } of suite.suite.tests) {
      const principal = isObject(porc) ? porc['principal'] : undefined;
      if (!isObject(principal)) continue;
      const key = JSON.stringify(principal);
      if (found.has(key)) continue;
      if (found.size >= TEST_PRINCIPALS) return [...found.values()];
      const name = freeName(principal['sub'], test, names);
      names.add(name);
      found.set(key, { name, suite: suite.suite.name, principal });
    }
  }
  return [...found.values()];
}

function suitesOf(policyFiles: readonly string[]): string[] {
  const beside = [...new Set(policyFiles.map((file) => path.dirname(file)))].flatMap(suitesIn);
  const named = new Set(
    policyFiles.map((file) => `${file.slice(0, -path.extname(file).length)}.test.yaml`),
  );
  const own = beside.filter((file) => named.has(file));
  return (own.length > 0 ? own : beside).slice(0, TEST_SUITES);
}

function suitesIn(folder: string): string[] {
  try {
    const suites = readdirSync(folder).filter((name) => name.endsWith('.test.yaml'));
    return suites.toSorted().map((name) => path.join(folder, name));
  } catch {
    return [];
  }
}

function freeName(sub: unknown, test: string, taken: ReadonlySet<string>): string {
  const plain = typeof sub === 'string' && sub !== '' ? sub : test;
  if (!taken.has(plain)) return plain;
  const full = `${plain} (${test})`;
  let name = full;
  for (let count = 2; taken.has(name); count += 1) name = `${full} ${count}`;
  return name;
}
