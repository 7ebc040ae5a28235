import { z } from 'zod';
import { configurableObject, jsonObject } from './scalars.ts';

/** What a key is made of. */
export const idempotencyKey = /^[\x21-\x7e]{1,255}$/;

/** The header of every request that creates a thread or a run; understood by http/request/idempotency-key.ts. */
export const idempotencyHeader = z.object({
  'Idempotency-Key': z.exactOptional(z.string().regex(idempotencyKey)).meta({
    description:
      'Extension: 1 to 255 visible ASCII characters. The same key with the same body, letter for letter, from the same principal at the same endpoint returns what the first such request has made, as it is now; a wait or a stream is attached to it. Query parameters may differ. With another body: 409 `idempotency_conflict`. Kept for 24 hours; what is deleted can be made again.',
    example: '0d9f2c1e-order-42',
  }),
});

/** What a run streams unless it is asked for something else. */
export const defaultStreamModes = ['values', 'updates', 'messages', 'custom'] as const;

const streamModes = [...defaultStreamModes, 'tasks', 'calls', 'lifecycle'] as const;

const streamModeError = `must be one or a list of ${streamModes.join(', ')}`;
const streamModeName = z.enum(streamModes, { error: streamModeError });

/** One mode or a list of them (decisions: "which chunks"). */
export const streamMode = z
  .union([streamModeName, z.array(streamModeName).min(1)], { error: streamModeError })
  .meta({
    description:
      "Extension: which chunks; `values`, `updates`, `messages` and `custom` by default. Only when the run was asked for them: `tasks`, a node's start and end (`{event, id, name, ts, input | result, error, interrupts}`); `calls`, the start and end of model and tool calls (`{kind, event, id, parent_id, name, model, node, ns, ts}` with `input`, or with `output`, `usage`, `latency_ms` and `error`), and what a tool streams of its output (`event: delta`, with `delta`); `lifecycle`, each attempt of the run as it begins (`{attempt, last_failure, ts}`).",
    example: ['values', 'tasks'],
  });

const pair = z
  .tuple([z.string(), z.unknown()])
  .meta({ override: { items: {}, minItems: 2, maxItems: 2 } });

const nodeNames = z
  .union([z.literal('*'), z.array(z.string())], { error: 'must be "*" or a list of node names' })
  .meta({ description: 'Extension: node names, or `*` for every node.' });

const send = z.object({ node: z.string(), input: z.unknown() });
const target = z.union([z.string(), send], { error: 'must be a node name or {node, input}' });

export const runCommand = z
  .object(
    {
      resume: z.exactOptional(z.unknown()).meta({ description: 'The answer to an interrupt.' }),
      update: z
        .exactOptional(
          z.union([jsonObject, z.array(pair)], {
            error: 'must be an object or a list of [key, value]',
          }),
        )
        .meta({ description: 'Written into the state before the run continues.' }),
      goto: z
        .exactOptional(
          z.union([target, z.array(target)], {
            error: 'must be a node name, {node, input}, or a list of them',
          }),
        )
        .meta({ description: 'The nodes where the run continues.' }),
    },
    { error: 'must be an object' },
  )
  .refine((command) => Object.keys(command).length > 0, {
    error: 'must have resume, update or goto',
  })
  .meta({
    id: 'RunCommand',
    description: "Extension: LangGraph's Command.",
    override: { minProperties: 1 },
  });

export const runConfig = z
  .looseObject(
    {
      tags: z.exactOptional(z.array(z.string(), { error: 'must be a list of strings' })),
      recursion_limit: z.exactOptional(
        z
          .int({ error: 'must be a positive integer' })
          .positive({ error: 'must be a positive integer' }),
      ),
      configurable: z.exactOptional(configurableObject),
    },
    { error: 'must be an object' },
  )
  .meta({ id: 'RunConfig', description: 'Passed through to the agent.' });

/** Refuses a field whose meaning this version does not have, instead of leaving it out silently. */
const notSupported = (sentence: string) =>
  z.exactOptional(z.null({ error: sentence })).meta({ description: sentence });

/** RUN_DELAY_SECONDS of model/limits/limits.ts, which this room does not read. */
const MAX_DELAY_SECONDS = 31_536_000;
const delayError = `must be a number from 0 to ${MAX_DELAY_SECONDS}`;

export const runCreateBody = z
  .object({
    input: z.exactOptional(z.unknown()).meta({
      description:
        "The agent input: an object, or any other JSON where the agent's input schema is no object. Absent or null continues from the head checkpoint.",
      example: { question: 'Why is the sky blue?' },
    }),
    agent_id: z
      .exactOptional(z.string({ error: 'must be a string' }))
      .meta({ description: 'The agent that runs; the first one of the manifest by default.' }),
    assistant_id: z
      .exactOptional(z.string({ error: 'must be a string' }))
      .meta({ description: 'Alias of `agent_id`.' }),
    metadata: z.exactOptional(jsonObject),
    config: z.exactOptional(runConfig),
    context: z.exactOptional(configurableObject.nullable()).meta({
      description:
        "Extension: LangGraph's run context, what nodes find as `runtime.context`; validated and defaulted by the agent's `context_schema`, and also found under `config.configurable`. A run that resumes another one or continues from a checkpoint and brings neither has the context of that run.",
      example: { user_name: 'Ada' },
    }),
    command: z.exactOptional(runCommand.nullable()),
    stream_mode: z.exactOptional(streamMode),
    stream_subgraphs: z
      .exactOptional(z.boolean({ error: 'must be a boolean' }))
      .meta({ description: 'Extension: adds the events of sub-graphs, named `mode|ns`.' }),
    durability: z
      .exactOptional(z.enum(['async', 'sync', 'exit'], { error: 'must be async, sync or exit' }))
      .meta({ description: 'Extension: when a checkpoint is durable; `async` by default.' }),
    interrupt_before: z.exactOptional(nodeNames),
    interrupt_after: z.exactOptional(nodeNames),
    checkpoint: z
      .exactOptional(
        z.object(
          {
            checkpoint_id: z
              .string({ error: 'must be a checkpoint id' })
              .min(1, { error: 'must be a checkpoint id' }),
            checkpoint_ns: z.exactOptional(z.string({ error: 'must be a string' })),
          },
          { error: 'must be an object' },
        ),
      )
      .meta({ description: 'Extension: the checkpoint to run from, instead of the head.' }),
    multitask_strategy: z
      .exactOptional(
        z.enum(['enqueue', 'reject', 'interrupt', 'rollback'], {
          error: 'must be enqueue, reject, interrupt or rollback',
        }),
      )
      .meta({
        description:
          'Extension: what becomes of the runs that are active or queued on the thread. `enqueue` (default): they come first. `reject`: 409 `thread_busy`. `interrupt`: they are cancelled and keep their checkpoints; the new run continues from the head. `rollback`: they are removed with their checkpoints, and the new run continues from the state before them.',
      }),
    on_disconnect: z
      .exactOptional(z.enum(['continue', 'cancel'], { error: 'must be continue or cancel' }))
      .meta({
        description: 'Extension: what becomes of the run when the client that waits goes away.',
      }),
    webhook: notSupported('webhook is not supported by this version'),
    after_seconds: z
      .exactOptional(
        z
          .number({ error: delayError })
          .min(0, { error: delayError })
          .max(MAX_DELAY_SECONDS, { error: delayError })
          .nullable(),
      )
      .meta({
        description:
          'Extension: the run begins no sooner than so many seconds from now, and other runs of the thread go before it until then. It waits as a queued run does: it can be cancelled, and `multitask_strategy` of later runs is about it, too.',
        example: 60,
      }),
    checkpoint_id: notSupported('checkpoint_id stands inside checkpoint: {checkpoint_id}'),
  })
  .refine((body) => !(isGiven(body.input) && isGiven(body.command)), {
    path: ['command'],
    error: 'input and command exclude each other',
  })
  .meta({
    id: 'RunCreate',
    override: {
      not: {
        anyOf: [
          {
            required: ['input', 'command'],
            properties: { input: { not: { type: 'null' } }, command: { type: 'object' } },
          },
          // What `contextOf` of run-request.ts refuses.
          {
            required: ['context', 'config'],
            properties: {
              context: { type: 'object', minProperties: 1 },
              config: {
                type: 'object',
                required: ['configurable'],
                properties: { configurable: { type: 'object', minProperties: 1 } },
              },
            },
          },
        ],
      },
    },
  });

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

export type RunCreateBody = z.infer<typeof runCreateBody>;
