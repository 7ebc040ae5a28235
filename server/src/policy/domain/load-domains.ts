/*
 * What a route asks is in its contract (`asks`, `contract/permissions.ts`); docs/policy.md has the table, and
 * `http/routes/asked-permissions.test.ts` sends every request of `test/fixtures/route-requests.ts` to see that a route asks
 * that and nothing else, and that none shows or changes what is somebody else's. `policy/port.ts` is what services
 * ask: `requirePermission` about the operation, `requireAlso` about what comes with it (`threads/run-admission.ts` for
 * a new run). The permissive domain, the handlers of the manifest's `auth` and policy domains stand behind it.
 * `policy/domain/` is everything about PolicyDomain files but the evaluation of Rego
 * ([docs/policy.md](docs/policy.md)).
 *
 * `load-domains.ts` goes from files to a `DomainSet`: `yaml-file.ts` (text to JSON with the place of every value,
 * aliases written out by ourselves, because that is where limits and places are lost otherwise), `parse-domain.ts`
 * (one file), `link-domains.ts` (references across all of them). Each step collects findings and goes on, so that all
 * are told at once; a set with findings decides nothing.
 */
import { PolicyFindings, type PolicyFinding } from '../findings.ts';
import type { OpenRegoEvaluator, RegoEvaluator, RegoProgram } from '../rego/port.ts';
import type { PolicyDomain } from './domain.ts';
import type { DomainSet } from './domain-set.ts';
import { linkDomains } from './link-domains.ts';
import { parseDomain } from './parse-domain.ts';
import { readPolicyFile } from './policy-files.ts';
import type { ReadPolicyFile } from './rego-source.ts';

/** Reads policy files, each of which is a domain. Never throws: what is wrong is a finding, of all files together. */
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

/** Policies that can decide. Who opens them closes the evaluator. */
export interface OpenDomains {
  set: DomainSet;
  evaluator: RegoEvaluator;
}

/** Reads and compiles policy files. Rejects with PolicyFindings: everything that is wrong in all files, Rego too. */
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

/** What the evaluator is to compile. */
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

/** Rego within YAML is indented, which the evaluator has not seen. */
function indented(
  { policies, libraries, mappers }: DomainSet,
  finding: PolicyFinding,
): PolicyFinding {
  const { key } = finding;
  const rego = [...policies, ...libraries, ...mappers].find((one) => one.key === key)?.rego;
  return rego ? { ...finding, column: finding.column + rego.column - 1 } : finding;
}
