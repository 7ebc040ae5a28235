import { z } from 'zod';
import {
  asksAssistantOfCron,
  asksCron,
  asksCrons,
  asksNewCron,
  asksThread,
} from '../../contract/permissions.ts';
import { compatRoute, optional } from './compat-route.ts';
import { runBody } from './run-body.ts';

const anyObject = z.record(z.string(), z.unknown(), { error: 'must be an object' });
/** PostgreSQL takes no NUL. */
const text = z.string().regex(/^[^\0]*$/, { error: 'must not have a NUL' });
/** Python writes the time of a `datetime` without a zone, too: it is taken as UTC, as schedules are. */
const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:?\d\d)?$/, {
    error: 'must be a time, as 2027-01-31T12:00:00Z',
  })
  .transform((given) => Date.parse(/[T ].*(?:Z|[+-]\d\d:?\d\d)$/.test(given) ? given : utc(given)))
  .refine(Number.isFinite, { error: 'must be a time, as 2027-01-31T12:00:00Z' });
const utc = (given: string): string => (given.length > 10 ? `${given}Z` : given);

/** The members of a run's body that a cron may have. */
const run = runBody.pick({
  assistant_id: true,
  input: true,
  config: true,
  context: true,
  webhook: true,
  interrupt_before: true,
  interrupt_after: true,
  stream_mode: true,
  stream_subgraphs: true,
  stream_resumable: true,
  checkpoint_during: true,
  durability: true,
  multitask_strategy: true,
}).shape;

/** Their names: what a cron's `payload` shows. */
export const payloadMembers: readonly string[] = [...Object.keys(run), 'metadata', 'schedule'];

const content = {
  ...run,
  timezone: optional(text),
  metadata: optional(anyObject),
  enabled: optional(z.boolean()),
};
const whole = { ...content, schedule: text, end_time: optional(time) };
const completed = { on_run_completed: optional(z.enum(['delete', 'keep'])) };
const find = {
  assistant_id: optional(text),
  thread_id: optional(text),
  metadata: optional(anyObject),
};

/** The members by which crons are sorted. */
export const orders = [
  ...(['cron_id', 'assistant_id', 'thread_id', 'next_run_date'] as const),
  ...(['end_time', 'created_at', 'updated_at'] as const),
];

export const create = compatRoute('post', '/runs/crons', {
  asks: asksNewCron,
  body: z.object({ ...whole, ...completed }),
});
export const createOnThread = compatRoute('post', '/threads/{thread_id}/runs/crons', {
  asks: [asksThread('read'), ...asksNewCron],
  body: z.object(whole),
});
export const get = compatRoute('get', '/runs/crons/{cron_id}', { asks: [asksCron('read')] });
export const change = compatRoute('patch', '/runs/crons/{cron_id}', {
  asks: [asksCron('update'), asksAssistantOfCron],
  body: z.object({
    ...content,
    ...completed,
    schedule: optional(text),
    // Null is a change: there is no end any more.
    end_time: time.nullish(),
  }),
});
export const remove = compatRoute('delete', '/runs/crons/{cron_id}', {
  asks: [asksCron('delete')],
});
export const search = compatRoute('post', '/runs/crons/search', {
  asks: asksCrons,
  body: z.object({
    ...find,
    enabled: optional(z.boolean()),
    limit: optional(z.int().min(1).max(1000)),
    offset: optional(z.int().min(0)),
    sort_by: optional(z.enum(orders)),
    sort_order: optional(z.enum(['asc', 'desc'])),
    select: optional(z.array(z.string())),
  }),
});
export const count = compatRoute('post', '/runs/crons/count', {
  asks: asksCrons,
  body: z.object(find),
});

/** Fixed paths come before those with an id. */
export const cronContracts = [search, count, create, createOnThread, get, change, remove];
