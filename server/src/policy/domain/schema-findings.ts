import * as z from 'zod';
import { isObject, type Json } from '../../model/json.ts';
import type { PolicyFinding } from '../findings.ts';
import type { YamlFile, YamlPath } from './yaml-file.ts';

type Issue = z.core.$ZodIssue;

/** A mapping with these members and no others. */
export function members<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? `is not known here: write one of ${known}` : undefined,
  });
}

/** The schema's errors in a YAML file: one finding for each value and each unknown member, with its location. */
export function schemaFindings(yaml: YamlFile, issues: readonly Issue[]): PolicyFinding[] {
  return issues.flatMap((issue) => findingsOf(yaml, issue));
}

function findingsOf(yaml: YamlFile, issue: Issue): PolicyFinding[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const location = yaml.keyLocation([...issue.path, key]);
      return { ...location, message: `${nameOf([...issue.path, key])} ${issue.message}.` };
    });
  }
  if (issue.code === 'invalid_union') {
    // A list is checked against the list schema, anything else against the mapping.
    const index = Array.isArray(valueAt(yaml.value, issue.path)) ? 0 : 1;
    const inner = issue.errors[index] ?? [];
    return inner.flatMap((one) => findingsOf(yaml, { ...one, path: [...issue.path, ...one.path] }));
  }
  const isMissing = valueAt(yaml.value, issue.path) === undefined;
  const sentence = `${nameOf(issue.path)} ${isMissing ? 'is missing: add it' : problemOf(issue)}.`;
  return [{ ...yaml.locationOf(issue.path), message: sentence }];
}

/** A copy of a value without the members that a schema does not define. */
export function withoutUnknown(value: Json, issues: readonly Issue[]): unknown {
  const copy: Json = structuredClone(value);
  for (const issue of issues) {
    const parent = valueAt(copy, issue.path);
    if (issue.code !== 'unrecognized_keys' || !isObject(parent)) continue;
    for (const key of issue.keys) delete parent[key];
  }
  return copy;
}

const kindsOfValue: Partial<Record<string, string>> = {
  string: 'text',
  array: 'list',
  object: 'mapping',
  record: 'mapping',
};

function problemOf(issue: Issue): string {
  if (issue.code === 'invalid_type') {
    if (issue.expected === 'boolean') return 'is neither true nor false: write one of them';
    const kind = kindsOfValue[issue.expected] ?? issue.expected;
    return `is no ${kind}: write a ${kind}`;
  }
  if (issue.code === 'invalid_value') {
    return `has a value that is not known: write one of ${issue.values.join(', ')}`;
  }
  if (issue.code === 'too_small' && !issue.message.startsWith('is ')) {
    return 'is empty: write a value';
  }
  return issue.message;
}

/** The path as readers know it: `spec.roles[2].policy`. */
export function nameOf(path: YamlPath): string {
  if (path.length === 0) return 'The file';
  const parts = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return parts.join('').replace(/^\./, '');
}

function valueAt(value: Json, path: YamlPath): unknown {
  let at: unknown = value;
  for (const step of path) {
    if (Array.isArray(at)) at = at[Number(step)];
    else if (isObject(at) && Object.hasOwn(at, step)) at = at[String(step)];
    else return undefined;
  }
  return at;
}
