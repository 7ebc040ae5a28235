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

/** Extension headers of lists: how many there are in all, and the offset of the next page, if there is one. */
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
 * After which event a stream goes on, of the header Last-Event-ID or the parameter `last_event_id`; undefined when
 * neither says. The header wins: a reconnecting client knows better.
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
