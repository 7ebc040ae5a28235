import { sortedFindings, PolicyFindings, type PolicyFinding, findingLine } from '../findings.ts';
import type { OpenRegoEvaluator } from '../rego/port.ts';
import type { Decision } from './decision.ts';
import { DomainPolicy } from './domain-policy.ts';
import { explainLines } from './explain.ts';
import { openDomains } from './load-domains.ts';
import { readPolicyFile } from './policy-files.ts';
import type { ReadPolicyFile } from './rego-source.ts';
import { readSuite, type PolicySuite, type PolicyTest } from './suite.ts';

/**
 * The output of a `policy` command, line by line, and its exit code: 0 success, 1 findings or failures, 2 wrong usage.
 */
export interface CommandResult {
  lines: readonly string[];
  exitCode: 0 | 1 | 2;
}

/** Options of every `policy` command. */
export interface PolicyCommand {
  /** Policy files, each a domain. */
  policies: readonly string[];
  open: OpenRegoEvaluator;
  readFile?: ReadPolicyFile;
}

/** Lists all errors in policy files. */
export async function lintPolicies(command: PolicyCommand): Promise<CommandResult> {
  const { policies } = command;
  if (policies.length === 0) return noPolicies;
  return withPolicy(command, (_, { count }) => {
    const what = `${plural(policies.length, 'file')}, ${plural(count, 'policy', 'policies')}`;
    return Promise.resolve({ lines: [`${what}: no findings.`], exitCode: 0 });
  });
}

/** Runs every test of the suites, and reports unexpected decisions. */
export async function testPolicies(
  command: PolicyCommand & { suites: readonly string[] },
): Promise<CommandResult> {
  if (command.policies.length === 0) return noPolicies;
  if (command.suites.length === 0) return usage('Name at least one file of tests.');
  const read = readSuites(command.suites, command.readFile ?? readPolicyFile);
  if (read.findings.length > 0) return withFindings(read.findings);
  return withPolicy(command, async (policy) => {
    const lines: string[] = [];
    let failed = 0;
    let count = 0;
    for (const suite of read.suites) {
      lines.push(suite.name);
      for (const test of suite.tests) {
        const decision = await policy.decide(test.porc);
        // A question that cannot be asked does not prove a denial.
        const isPassed = decision.isAllowed === test.isAllowed && decision.phase !== 'input';
        count += 1;
        if (!isPassed) failed += 1;
        lines.push(...(isPassed ? [`  passed  ${test.name}`] : failure(suite, test, decision)));
      }
    }
    const sum = `${plural(count, 'test')}, ${failed === 0 ? 'all passed' : `${failed} failed`}.`;
    return { lines: [...lines, sum], exitCode: failed === 0 ? 0 : 1 };
  });
}

/** Explains one question: the result of every phase and policy. A denial is a result, not a failure. */
export async function explainPolicy(
  command: PolicyCommand & { porc: string },
): Promise<CommandResult> {
  if (command.policies.length === 0) return noPolicies;
  let porc: unknown;
  try {
    porc = JSON.parse(command.porc);
  } catch (error) {
    return usage(`The PORC is no JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
  return withPolicy(command, async (policy) => {
    return { lines: explainLines(await policy.decide(porc)), exitCode: 0 };
  });
}

const noPolicies = usage('Name at least one policy file with --policy.');

async function withPolicy(
  { policies, open, readFile }: PolicyCommand,
  run: (policy: DomainPolicy, about: { count: number }) => Promise<CommandResult>,
): Promise<CommandResult> {
  let opened: Awaited<ReturnType<typeof openDomains>>;
  try {
    opened = await openDomains(policies, open, readFile);
  } catch (error) {
    if (error instanceof PolicyFindings) return withFindings(error.findings);
    throw error;
  }
  try {
    const { set, evaluator } = opened;
    return await run(new DomainPolicy(set, evaluator), { count: set.policies.length });
  } finally {
    await opened.evaluator.close();
  }
}

function readSuites(files: readonly string[], readFile: ReadPolicyFile) {
  const suites: PolicySuite[] = [];
  const findings: PolicyFinding[] = [];
  for (const file of files) {
    const found = readFile(file);
    if ('problem' in found) {
      findings.push({ file, line: 1, column: 1, message: `This file ${found.problem}.` });
      continue;
    }
    const read = readSuite(file, found.text);
    if ('suite' in read) suites.push(read.suite);
    else findings.push(...read.findings);
  }
  return { suites, findings };
}

function failure(suite: PolicySuite, test: PolicyTest, decision: Decision): string[] {
  const expected = test.isAllowed ? 'allowed' : 'denied';
  return [
    `  FAILED  ${test.name}: expected ${expected} (${suite.file}:${test.line})`,
    ...explainLines(decision).map((line) => `          ${line}`),
  ];
}

function withFindings(findings: readonly PolicyFinding[]): CommandResult {
  const lines = sortedFindings(findings).map(findingLine);
  return { lines: [...lines, `${plural(findings.length, 'finding')}.`], exitCode: 1 };
}

function usage(sentence: string): CommandResult {
  return { lines: [`Error: ${sentence}`], exitCode: 2 };
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
