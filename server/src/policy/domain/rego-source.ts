import { resolve, dirname } from 'node:path';

import type { PolicyFinding } from '../findings.ts';
import type { RegoText } from './domain.ts';
import type { DomainDocument } from './domain-schema.ts';
import { nameOf } from './schema-findings.ts';
import type { YamlFile, YamlPath } from './yaml-file.ts';

/** Reads a policy file; the problem is the end of a sentence that begins with the file's name. */
export type ReadPolicyFile = (path: string) => { text: string } | { problem: string };

interface RegoQuestion {
  yaml: YamlFile;
  /** Path of the rule. */
  path: YamlPath;
  rule: { rego?: string; rego_filename?: string };
  kind: DomainDocument['kind'];
  readFile: ReadPolicyFile;
}

/**
 * The Rego of a rule: its own text or, in a PolicyDomainReference, that of a file, whose name is relative to the file
 * that refers to it.
 */
export function readRego(question: RegoQuestion): { text: RegoText } | { finding: PolicyFinding } {
  const { yaml, path, rule, kind, readFile } = question;
  const { rego, rego_filename: filename } = rule;
  const found = (member: string, problem: string) => {
    const at = [...path, member];
    return { finding: { ...yaml.locationOf(at), message: `${nameOf(at)} ${problem}.` } };
  };
  if (filename !== undefined && kind === 'PolicyDomain') {
    return found('rego_filename', 'is for a PolicyDomainReference: change kind, or write `rego`');
  }
  if (filename !== undefined && rego !== undefined) {
    return found('rego_filename', 'is given beside `rego`: keep one of them');
  }
  if (rego !== undefined) {
    if (rego.trim() === '') return found('rego', 'is empty: write the policy');
    return { text: { ...yaml.textLocation([...path, 'rego']), source: rego } };
  }
  if (filename === undefined) {
    const isInline = kind === 'PolicyDomain';
    return found('rego', `is missing: add it${isInline ? '' : ', or `rego_filename`'}`);
  }
  const file = resolve(dirname(yaml.file), filename);
  const read = readFile(file);
  if ('problem' in read) return found('rego_filename', `names ${file}, which ${read.problem}`);
  return { text: { file, line: 1, column: 1, source: read.text } };
}
