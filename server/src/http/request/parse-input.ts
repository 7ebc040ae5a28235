/*
 * What comes in: bodies, parameters and headers are checked here before a route sees them, and requests of foreign
 * pages and hosts are refused.
 */
import type { z } from 'zod';
import { ServiceError } from '../../errors/service-error.ts';

/** Parses `value` with `schema`; throws `invalid_request` with every issue when it does not match. */
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

/** For a missing member that accepts any value, Zod reports "expected nonoptional". */
function isMissing(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_type' && issue.expected === 'nonoptional';
}

function sentence(path: string, message: string): string {
  return path === '' ? `The request is malformed: ${message}.` : `${path}: ${message}.`;
}

/** Extension headers of lists: the total count, and the offset of the next page, if one exists. */
export function paginationHeaders(
  asked: { offset: number },
  page: { items: { length: number }; total: number },
): Record<string, string> {
  const next = asked.offset + page.items.length;
  return {
    'X-Pagination-Total': String(page.total),
    ...(page.items.length > 0 && next < page.total ? { 'X-Pagination-Next': String(next) } : {}),
  };
}

/**
 * The event id after which a stream resumes, from the header Last-Event-ID or the parameter `last_event_id`; undefined
 * when neither is given. The header wins: a reconnecting client sets it to its latest event.
 */
export function lastEventIdOf(
  header: string | string[] | undefined,
  parameter: string | undefined,
): number | undefined {
  const given = header === undefined || header === '' ? parameter : header;
  if (given === undefined) return undefined;
  if (typeof given === 'string' && /^\d{1,16}$/.test(given)) return Number(given);
  const message = 'must be the id of an event';
  throw new ServiceError('invalid_request', `Last-Event-ID ${message}.`, {
    details: { issues: [{ path: 'Last-Event-ID', message }] },
  });
}
