import * as z from 'zod';

import type { PolicyFinding } from '../findings.ts';
import { members, schemaFindings } from './schema-findings.ts';
import { readYaml } from './yaml-file.ts';

const suiteSchema = members({
  name: z.string(),
  tests: z.array(members({ name: z.string(), porc: z.json(), allow: z.boolean() })).min(1),
});

/** One question with the expected decision. */
export interface PolicyTest {
  name: string;
  porc: unknown;
  isAllowed: boolean;
  line: number;
}

/** A file of tests. */
export interface PolicySuite {
  name: string;
  file: string;
  tests: readonly PolicyTest[];
}

/** Reads a YAML suite: `name`, and `tests` of `name`, `porc` and `allow`. Never throws. */
export function readSuite(
  file: string,
  text: string,
): { suite: PolicySuite } | { findings: PolicyFinding[] } {
  const { findings, ...read } = readYaml(file, text);
  if (!('yaml' in read)) return { findings };
  const { yaml } = read;
  const parsed = suiteSchema.safeParse(yaml.value);
  if (!parsed.success) return { findings: schemaFindings(yaml, parsed.error.issues) };
  const tests = parsed.data.tests.map(({ name, porc, allow }, index) => {
    const { line } = yaml.locationOf(['tests', index]);
    return { name, porc, isAllowed: allow, line };
  });
  return { suite: { name: parsed.data.name, file, tests } };
}
