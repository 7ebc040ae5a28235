import { ServiceError } from '../errors/service-error.ts';

/** An error in a policy file, as a sentence with its remedy. Line and column from 1. */
export interface PolicyFinding {
  file: string;
  line: number;
  column: number;
  message: string;
  /** The module (`domain/mrn`) whose Rego contains it. */
  key?: string;
}

/** Policies that cannot be used: all errors in them, in the order of files and lines. */
export class PolicyFindings extends ServiceError {
  readonly findings: readonly PolicyFinding[];

  constructor(findings: readonly PolicyFinding[]) {
    const sorted = sortedFindings(findings);
    const lines = sorted.map(findingLine).join('\n');
    super('config_invalid', `The policies cannot be used:\n${lines}`);
    this.findings = sorted;
  }
}

/** A finding in the format of terminals and editors: `file:line:column: sentence`. */
export function findingLine({ file, line, column, message }: PolicyFinding): string {
  return `${file}:${line}:${column}: ${message}`;
}

/** Findings by file, in the order in which files are first named, then by line and column, without duplicates. */
export function sortedFindings(findings: readonly PolicyFinding[]): PolicyFinding[] {
  const files = [...new Set(findings.map(({ file }) => file))];
  const once = new Map(findings.map((finding) => [findingLine(finding), finding]));
  return [...once.values()].toSorted(
    (a, b) =>
      files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column,
  );
}
