import type { z } from 'zod';
import { ServiceError } from '../../errors/service-error.ts';

/** What `schema` makes of `value`; `invalid_request` with every issue when it does not fit. */
export function parseInput<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue) => ({
    path: issue.path.map(String).join('.'),
    message: isMissing(issue) ? 'is required' : issue.message,
  }));
  const [first] = issues;
  const message = first ? sentence(first.path, first.message) : 'The request is malformed.';
  throw new ServiceError('invalid_request', message, { details: { issues } });
}

/** Of a member that takes anything, Zod says "expected nonoptional" when it is left out. */
function isMissing(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_type' && issue.expected === 'nonoptional';
}

function sentence(path: string, message: string): string {
  return path === '' ? `The request is malformed: ${message}.` : `${path}: ${message}.`;
}
