/*
 * A route's contract states its policy questions (`asks`, `contract/permissions.ts`); docs/policy.md has the table, and
 * `http/routes/asked-permissions.test.ts` sends every request of `test/fixtures/route-requests.ts` to check that a
 * route asks exactly these, and that none shows or changes another user's data. Services ask `policy/port.ts`:
 * `requirePermission` about the operation, `requireAlso` about what accompanies it (`threads/run-admission.ts` for a
 * new run). It is implemented by the permissive domain, the handlers of the manifest's `auth` and policy domains.
 * `policy/domain/` contains everything about PolicyDomain files except the evaluation of Rego
 * ([docs/policy.md](docs/policy.md)).
 *
 * `load-domains.ts` turns files into a `DomainSet`: `yaml-file.ts` (text to JSON with the location of every value,
 * aliases expanded by our own code, because limits and locations would be lost otherwise), `parse-domain.ts` (one
 * file), `link-domains.ts` (references across all of them). Each step collects findings and continues, so that all are
 * reported at once; a set with findings decides nothing.
 */
import { PolicyFindings, type PolicyFinding } from '../findings.ts';
import type { OpenRegoEvaluator, RegoEvaluator, RegoProgram } from '../rego/port.ts';
import type { PolicyDomain } from './domain.ts';
import type { DomainSet } from './domain-set.ts';
import { linkDomains } from './link-domains.ts';
import { parseDomain } from './parse-domain.ts';
import { readPolicyFile } from './policy-files.ts';
import type { ReadPolicyFile } from './rego-source.ts';

/** Reads policy files, each of which is a domain. Never throws: errors are findings, of all files together. */
export function readDomains(
  files: readonly string[],
  readFile: ReadPolicyFile = readPolicyFile,
): { set: DomainSet; findings: PolicyFinding[] } {
  const findings: PolicyFinding[] = [];
  const domains: PolicyDomain[] = [];
  for (const file of files) {
    const read = readFile(file);
    if ('problem' in read) {
      findings.push({ file, line: 1, column: 1, message: `This file ${read.problem}.` });
      continue;
    }
    const parsed = parseDomain(file, read.text, readFile);
    findings.push(...parsed.findings);
    if (parsed.domain) domains.push(parsed.domain);
  }
  const linked = linkDomains(domains);
  return { set: linked.set, findings: [...findings, ...linked.findings] };
}

/** Policies that are ready to decide. The caller that opens them closes the evaluator. */
export interface OpenDomains {
  set: DomainSet;
  evaluator: RegoEvaluator;
}

/** Reads and compiles policy files. Rejects with PolicyFindings: all errors in all files, including Rego. */
export async function openDomains(
  files: readonly string[],
  open: OpenRegoEvaluator,
  readFile: ReadPolicyFile = readPolicyFile,
): Promise<OpenDomains> {
  const { set, findings } = readDomains(files, readFile);
  let evaluator: RegoEvaluator;
  try {
    evaluator = await open(programOf(set));
  } catch (error) {
    if (!(error instanceof PolicyFindings)) throw error;
    throw new PolicyFindings([...findings, ...error.findings.map((one) => indented(set, one))]);
  }
  if (findings.length === 0) return { set, evaluator };
  await evaluator.close();
  throw new PolicyFindings(findings);
}

/** The program that the evaluator compiles. */
function programOf({ policies, libraries, mappers }: DomainSet): RegoProgram {
  const moduleOf = ({ key, rego: { file, line, source } }: (typeof libraries)[number]) => {
    return { key, file, line, source };
  };
  return {
    policies: policies.map((policy) => ({ ...moduleOf(policy), libraries: policy.libraries })),
    libraries: libraries.map(moduleOf),
    checked: mappers.map(moduleOf),
  };
}

/** Adds the YAML indentation of the Rego, which the evaluator does not know. */
function indented(
  { policies, libraries, mappers }: DomainSet,
  finding: PolicyFinding,
): PolicyFinding {
  const { key } = finding;
  const rego = [...policies, ...libraries, ...mappers].find((one) => one.key === key)?.rego;
  return rego ? { ...finding, column: finding.column + rego.column - 1 } : finding;
}
