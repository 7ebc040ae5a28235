import { z } from 'zod';
import { runError, runStatus } from './run.ts';
import { jsonObject, limitBody, limitQuery, runId, threadId, timestamp } from './scalars.ts';

const timeError = 'must be a time such as 2026-11-21T12:00:00Z';
const time = timestamp
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/, { error: timeError })
  .refine((text) => !Number.isNaN(Date.parse(text)), { error: timeError });
const count = z
  .number({ error: 'must be a whole number from 0' })
  .int({ error: 'must be a whole number from 0' })
  .min(0, { error: 'must be a whole number from 0' });
/** The same in a query. */
const countText = z
  .string()
  .regex(/^\d{1,15}$/, { error: 'must be a whole number from 0' })
  .transform(Number)
  .meta({ override: { type: 'integer', minimum: 0 } });
const name = z.string({ error: 'must be a string' }).min(1, { error: 'must not be empty' });
/** A search takes as many words as a person types. */
const searched = name.max(1_000, { error: 'must have at most 1000 characters' });

const tokenUsage = z.object({ input: z.int(), output: z.int(), total: z.int() }).meta({
  id: 'TokenUsage',
  description: 'Tokens of all model calls, as the models reported them.',
});

export const recordedRun = z
  .object({
    run_id: runId,
    thread_id: threadId,
    agent_id: z.string(),
    agent_version: z.exactOptional(z.string()),
    status: runStatus,
    sub: z.exactOptional(z.string()).meta({ description: 'Of the principal that created it.' }),
    created_at: timestamp,
    started_at: z.exactOptional(timestamp),
    first_token_at: z
      .exactOptional(timestamp)
      .meta({ description: 'Only where a model streams its tokens.' }),
    ended_at: z.exactOptional(timestamp),
    last_activity_at: timestamp,
    duration_ms: z
      .exactOptional(z.int())
      .meta({ description: 'From the beginning of the first attempt to the end.' }),
    attempts: z.int(),
    error: z.exactOptional(runError),
    input_preview: z.exactOptional(z.string()),
    output_preview: z.exactOptional(z.string()),
    tokens: tokenUsage,
    cost: z
      .exactOptional(z.number())
      .meta({ description: 'By `history.prices`, in their currency. Absent without prices.' }),
    metadata: jsonObject,
    is_incomplete: z.boolean().meta({
      description: 'Something of the record was lost, such as the last second before a crash.',
    }),
  })
  .meta({ id: 'RecordedRun', description: 'A run as the run history has it.' });

const filter = {
  status: z
    .exactOptional(z.union([runStatus, z.array(runStatus).min(1).max(7)]))
    .meta({ description: 'One, or a list of which one fits.' }),
  agent_id: z
    .exactOptional(z.union([name, z.array(name).min(1).max(100)]))
    .meta({ description: 'One, or a list of which one fits.' }),
  agent_version: z.exactOptional(name),
  thread_id: z.exactOptional(threadId),
  sub: z.exactOptional(name).meta({ description: 'Of the principal that created the run.' }),
  error_code: z.exactOptional(name),
  created_after: z.exactOptional(time),
  created_before: z.exactOptional(time),
  min_duration_ms: z.exactOptional(count),
  max_duration_ms: z.exactOptional(count),
  min_tokens: z.exactOptional(count),
  text: z.exactOptional(searched).meta({
    description:
      'Words, each of which begins one in the input, the output, the error or a message of the run.',
  }),
};

const cursor = z
  .string({ error: 'must be a string' })
  .regex(/^\d{1,16}\.\d{1,16}$/, { error: 'must be that of the page before' })
  .meta({
    description: 'Where the page before ended, from its `X-Pagination-Next`.',
  });

export const runSearchBody = z
  .object({
    ...filter,
    limit: limitBody,
    cursor: z.exactOptional(cursor),
    facets: z.exactOptional(z.boolean({ error: 'must be true or false' })).meta({
      description:
        'Counts, too, how often each status, agent and error code occurs. Not with a policy that hides runs.',
    }),
  })
  .meta({ id: 'RunSearch', example: { status: 'error', text: 'invoice', limit: 20 } });

const counts = z.record(z.string(), z.int());

export const runSearchResult = z
  .object({
    runs: z.array(recordedRun),
    facets: z.exactOptional(
      z
        .object({ status: counts, agent_id: counts, error_code: counts, is_capped: z.boolean() })
        .meta({ description: '`is_capped`: only the newest 10,000 matches were counted.' }),
    ),
  })
  .meta({ id: 'RunSearchResult' });

export const runListQuery = z.object({
  limit: limitQuery,
  cursor: z.exactOptional(cursor),
  status: z.exactOptional(runStatus),
  agent_id: z.exactOptional(name),
  thread_id: z.exactOptional(threadId),
});

const value = z.unknown().meta({
  description: 'JSON; `{truncated, bytes, preview}` where it was too large to be recorded whole.',
});

export const recordedInput = z
  .object({
    kind: z.enum(['input', 'command', 'proceed']).meta({
      description: '`proceed`: the run went on from where its thread was.',
    }),
    input: z.exactOptional(value),
    command: z.exactOptional(value),
  })
  .meta({ id: 'RecordedInput' });

export const traceSpan = z
  .object({
    id: z.string(),
    parent_id: z.exactOptional(z.string()),
    kind: z.enum(['attempt', 'node', 'model', 'tool']),
    name: z.string(),
    status: z
      .enum(['running', 'completed', 'error', 'interrupted', 'cancelled', 'lost'])
      .meta({ description: '`lost`: its process ended first.' }),
    attempt: z.int(),
    node: z.exactOptional(z.string()),
    step: z.exactOptional(z.int()),
    checkpoint_ns: z.exactOptional(z.string()),
    started_at: timestamp,
    first_token_at: z.exactOptional(timestamp),
    ended_at: z.exactOptional(timestamp),
    duration_ms: z.exactOptional(z.number()),
    model: z.exactOptional(z.string()),
    usage: z.exactOptional(jsonObject),
    cost: z.exactOptional(z.number()),
    input: z.exactOptional(value),
    params: z.exactOptional(value),
    output: z.exactOptional(value),
    error: z.exactOptional(z.object({ type: z.exactOptional(z.string()), message: z.string() })),
  })
  .meta({ id: 'TraceSpan', description: 'One attempt, node, model call or tool call of a run.' });

export const runTrace = z
  .object({ run: recordedRun, spans: z.array(traceSpan) })
  .meta({ id: 'RunTrace' });

/** Most messages of one call. */
const MAX_MESSAGES = 1_000;

export const modelCallBody = z
  .object({
    span_id: name.max(300, { error: 'must have at most 300 characters' }).meta({
      description:
        'The `id` of a model call in the trace: the agent’s model object that it went to is called.',
    }),
    messages: z
      .array(jsonObject, { error: 'must be a list of messages' })
      .min(1, { error: 'must have a message' })
      .max(MAX_MESSAGES, { error: `must have at most ${MAX_MESSAGES} messages` })
      .meta({
        description:
          'As the trace has them (`{type, content, …}`), or as chat APIs do (`{role, content}`). What the history redacted or cut is refused.',
      }),
    params: z.exactOptional(jsonObject).meta({
      description:
        'Instead of those of the recorded call, which are in the `params` of its span. Default: the same.',
    }),
  })
  .meta({
    id: 'ModelCall',
    example: {
      span_id: '0199c1b0-8c0f-7c43-9d0e-3f2b8a5f6d21',
      messages: [{ type: 'human', content: 'Where is my order?' }],
    },
  });

export const modelCallResult = z
  .object({
    output: z.unknown().meta({ description: 'The message that the model returned.' }),
    usage: z.exactOptional(jsonObject),
    latency_ms: z.number(),
    model: z.exactOptional(z.string()),
    cost: z
      .exactOptional(z.number())
      .meta({ description: 'By `history.prices`, in their currency. Absent without prices.' }),
  })
  .meta({ id: 'ModelCallResult' });

const figures = {
  runs: z.int(),
  errors: z.int(),
  p50_ms: z.exactOptional(z.number()),
  p95_ms: z.exactOptional(z.number()),
  tokens: tokenUsage,
  cost: z.exactOptional(z.number()),
};

export const runStats = z
  .object({
    total: z.object(figures),
    over_time: z.array(z.object({ from: timestamp, to: timestamp, ...figures })),
    by_agent: z.array(z.object({ agent_id: z.string(), ...figures })),
  })
  .meta({ id: 'RunStats' });

export const nodeStats = z
  .object({
    runs: z.int().meta({ description: 'Runs that were counted.' }),
    is_capped: z.boolean().meta({
      description: 'There were more in the window: the newest were counted, 500 at most.',
    }),
    nodes: z.array(
      z.object({
        node: z.string().meta({
          description: 'Its id in the graph of the agent: `section:draft` in a sub-graph.',
        }),
        runs: z.int().meta({ description: 'In which it was called.' }),
        calls: z.int(),
        errors: z.int(),
        p50_ms: z.exactOptional(z.number()).meta({ description: 'Of calls that completed.' }),
        p95_ms: z.exactOptional(z.number()),
      }),
    ),
  })
  .meta({ id: 'NodeStats' });

/** Parts of the chart over time. */
const MAX_PARTS = 500;

const statsWindow = {
  from: z.exactOptional(time).meta({ description: 'Default: a day before `to`.' }),
  to: z.exactOptional(time).meta({ description: 'Default: now.' }),
};

export const nodeStatsQuery = z.object({
  agent_id: name,
  ...statsWindow,
  status: z.exactOptional(runStatus),
  text: z.exactOptional(searched),
});

export const statsQuery = z.object({
  ...statsWindow,
  parts: z
    .exactOptional(
      z
        .string()
        .regex(/^[1-9]\d{0,2}$/, { error: `must be from 1 to ${MAX_PARTS}` })
        .transform(Number)
        .refine((parts) => parts <= MAX_PARTS, { error: `must be from 1 to ${MAX_PARTS}` }),
    )
    .meta({
      description: 'Into how many parts the time is cut. Default: 24.',
      override: { type: 'integer', minimum: 1, maximum: MAX_PARTS, default: 24 },
    }),
  agent_id: z.exactOptional(name),
  status: z.exactOptional(runStatus),
  min_duration_ms: z.exactOptional(countText),
  text: z.exactOptional(searched),
});

export type RecordedRunWire = z.infer<typeof recordedRun>;
export type RunSearchWire = z.infer<typeof runSearchBody>;
export type RunListWire = z.infer<typeof runListQuery>;
export type TraceSpanWire = z.infer<typeof traceSpan>;
export type RunTraceWire = z.infer<typeof runTrace>;
export type RecordedInputWire = z.infer<typeof recordedInput>;
export type RunStatsWire = z.infer<typeof runStats>;
export type NodeStatsWire = z.infer<typeof nodeStats>;
export type ModelCallResultWire = z.infer<typeof modelCallResult>;
export type StatsQueryWire = z.infer<typeof statsQuery>;
