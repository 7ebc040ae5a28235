import { z } from 'zod';

/** Decisions: "ids". */
export const threadId = z
  .string()
  .regex(/^(?!\.{1,2}$)[A-Za-z0-9._:~-]{1,200}$/, {
    error: 'must be 1 to 200 characters of A-Z a-z 0-9 . _ : ~ - and neither "." nor ".."',
  })
  .meta({ description: 'Supplied by the client or generated (UUIDv7).', example: 'user-42' });

export const runId = z.string().meta({
  description: 'Composite `{thread_id}_{run_uuid}`.',
  example: 'user-42_019aa5c0-7a4e-7cc1-9d2e-3f1b2c4d5e6f',
});

export const timestamp = z
  .string()
  .meta({ format: 'date-time', example: '2026-11-21T12:00:00.000Z' });

/** Any JSON object. */
export const jsonObject = z.record(z.string(), z.unknown(), { error: 'must be an object' });

/** RESERVED_PREFIX of bundle/request-record.ts, which this room does not read. */
const RESERVED = '__';

/** A run's `configurable` or context: LangGraph finds its own machinery under the same names, which no client may give. */
export const configurableObject = jsonObject
  .check(({ value, issues }) => {
    for (const name of Object.keys(value)) {
      if (!name.startsWith(RESERVED)) continue;
      const message = `names that begin with ${RESERVED} are LangGraph's own`;
      issues.push({ code: 'custom', input: value, path: [name], message });
    }
  })
  .meta({ override: { propertyNames: { not: { pattern: `^${RESERVED}` } } } });

/** Spec: metadata values that are no strings are converted to strings. */
export const stringMap = z.record(z.string(), z.string());

/** `limit` where none is given. */
export const DEFAULT_LIMIT = 100;

/** An integer of the query; the document has the bounds that are checked. */
function integerQuery(
  { from, to, otherwise }: { from: number; to: number; otherwise: number },
  description: string,
) {
  const error = `must be an integer from ${from} to ${to}`;
  return z
    .exactOptional(
      z
        .string({ error: 'must be given once' })
        .regex(/^\d{1,9}$/, { error })
        .transform(Number)
        .refine((value) => value >= from && value <= to, { error }),
    )
    .meta({
      description,
      override: { type: 'integer', minimum: from, maximum: to, default: otherwise },
    });
}

/** Query parameter `limit`. */
export const limitQuery = integerQuery(
  { from: 1, to: 1000, otherwise: DEFAULT_LIMIT },
  'At most this many, 1 to 1000.',
);

/** Query parameter `offset`. */
export const offsetQuery = integerQuery(
  { from: 0, to: 999_999_999, otherwise: 0 },
  'Leaves out this many of the first.',
);

/** Query parameter `after`: the number of a line. */
export const afterQuery = integerQuery(
  { from: 0, to: 999_999_999, otherwise: 0 },
  'Only what came after the line with this id.',
);

/** Query parameter `depth`. */
export const depthQuery = integerQuery(
  { from: 0, to: 10, otherwise: 0 },
  'Down to how many levels sub-graphs are drawn from within.',
);

/** Member `limit` of a body. */
export const limitBody = z
  .exactOptional(
    z
      .number({ error: 'must be an integer from 1 to 1000' })
      .int({ error: 'must be an integer from 1 to 1000' })
      .min(1, { error: 'must be an integer from 1 to 1000' })
      .max(1000, { error: 'must be an integer from 1 to 1000' }),
  )
  .meta({ description: `At most this many. Default: ${DEFAULT_LIMIT}.` });

/** Member `offset` of a body. */
export const offsetBody = z
  .exactOptional(
    z
      .number({ error: 'must be an integer from 0' })
      .int({ error: 'must be an integer from 0' })
      .min(0, { error: 'must be an integer from 0' })
      .max(999_999_999, { error: 'must be an integer from 0 to 999999999' }),
  )
  .meta({ description: 'Leaves out this many of the first. Default: 0.' });

/** What http/response/wait.ts understands; longer texts are none. */
const durationText = {
  type: 'string',
  pattern: '^\\+?([0-9]{1,20}|((\\d+\\.?\\d*|\\.\\d+)(ns|us|\\u00b5s|\\u03bcs|ms|s|m|h))+)$',
  maxLength: 100,
} as const;

/** Query parameters `wait` and `timeout`; the text is understood by http/response/wait.ts. */
export const waitQuery = {
  wait: z.exactOptional(z.string({ error: 'must be given once' })).meta({
    description:
      'How long to wait for the end of the run: a duration (`30s`, `5m`, `500ms`, `1h30m`) or whole seconds. Longer than 10 minutes is taken as 10 minutes.',
    example: '30s',
    override: durationText,
  }),
  timeout: z.exactOptional(z.string({ error: 'must be given once' })).meta({
    description: 'Alias of `wait`; `wait` wins when both are given.',
    override: durationText,
  }),
};
