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
