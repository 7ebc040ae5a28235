import { z } from 'zod';
import { jsonObject, threadId, timestamp } from './scalars.ts';
import { interrupt } from './thread.ts';

export const checkpointRef = z
  .object({ thread_id: threadId, checkpoint_ns: z.string(), checkpoint_id: z.string() })
  .meta({ id: 'CheckpointRef' });

export const message = z
  .looseObject({
    role: z.string().meta({ description: '`user`, `assistant`, `system` or `tool`.' }),
    content: z.string().meta({ description: 'The text parts, joined.' }),
  })
  .meta({ id: 'Message' });

export const state = z
  .object({
    thread_id: threadId,
    values: jsonObject,
    messages: z
      .exactOptional(z.array(message))
      .meta({ description: 'Present when the agent state tracks messages.' }),
    interrupts: z.exactOptional(z.array(interrupt)).meta({
      description: 'Extension: present while the thread waits for an answer.',
    }),
    checkpoint: z.exactOptional(checkpointRef),
  })
  .meta({ id: 'State' });

export const checkpointState = state.extend({ checkpoint: checkpointRef }).meta({
  id: 'CheckpointState',
  description: 'The state at a checkpoint; `interrupts` only at the head of the thread.',
});

/** Spec: `subgraphs` has no observable effect; whatever it holds is taken. */
export const subgraphs = z
  .exactOptional(z.unknown())
  .meta({ description: 'Without effect, whatever it holds.', override: {} });

const checkpointNs = z
  .exactOptional(z.string({ error: 'must be a string' }).nullable())
  .meta({ description: 'The namespace; empty is the root.', example: '' });

const anObject = { error: 'must be an object' };

export const checkpointTargetBody = z
  .object({
    checkpoint: z.exactOptional(
      z
        .object(
          {
            checkpoint_ns: checkpointNs,
            checkpoint_id: z
              .exactOptional(z.string({ error: 'must be a string' }).nullable())
              .meta({ description: 'Empty or absent: the head of the namespace.' }),
          },
          anObject,
        )
        .nullable(),
    ),
    subgraphs,
  })
  .meta({
    id: 'CheckpointTarget',
    description: 'Which checkpoint; `checkpoint_ns` is ignored when there is a `checkpoint_id`.',
    example: { checkpoint: { checkpoint_ns: '', checkpoint_id: '' } },
  });

export const historyBody = z
  .object({
    limit: z
      .exactOptional(
        z
          .int({ error: 'must be an integer from 1 to 1000' })
          .min(1, { error: 'must be an integer from 1 to 1000' })
          .max(1000, { error: 'must be an integer from 1 to 1000' })
          .meta({ default: 100 }),
      )
      .meta({ description: 'At most this many, 1 to 1000; 100 by default.' }),
    before: z
      .exactOptional(z.string({ error: 'must be a checkpoint id' }).nullable())
      .meta({ description: 'A checkpoint id: only what is strictly older, retained or not.' }),
    metadata: z
      .exactOptional(jsonObject.nullable())
      .meta({ description: 'Accepted, not used for filtering.' }),
    checkpoint: z
      .exactOptional(z.object({ checkpoint_ns: checkpointNs }, anObject).nullable())
      .meta({ description: 'The namespace to list; the root by default. Extension: `*` is all.' }),
    subgraphs,
  })
  .meta({
    id: 'HistoryQuery',
    example: { limit: 10, checkpoint: { checkpoint_ns: '' } },
  });

export const stateUpdateBody = z.looseObject({}).meta({
  id: 'StateUpdate',
  description:
    'The values to set, by key: the whole body is the map. `messages` are merged with add-messages; every other key is set as given, whatever its reducer.',
  example: { topic: 'billing', messages: [{ role: 'user', content: 'One more thing.' }] },
});

export const updatedState = z
  .object({
    thread_id: threadId,
    values: jsonObject.meta({ description: 'The state after the change, without `messages`.' }),
  })
  .meta({ id: 'UpdatedState' });

export const historyEntry = z
  .object({
    checkpoint: checkpointRef,
    values: jsonObject,
    metadata: z.exactOptional(jsonObject),
    created_at: timestamp,
    parent_checkpoint: z
      .exactOptional(checkpointRef)
      .meta({ description: 'Omitted once the parent is no longer retained.' }),
    next_nodes: z.exactOptional(z.array(z.string())).meta({
      description:
        'Extension. The nodes that run next from here; those that a `Send` starts are not among them. Omitted when there is none.',
    }),
    error: z.exactOptional(z.object({ code: z.string(), message: z.string() })).meta({
      description:
        'Extension. Why some channel is missing from `values`: its payload in the external checkpoint storage is lost or damaged (`checkpoint_damaged`).',
    }),
  })
  .meta({ id: 'HistoryEntry' });

export type CheckpointRefWire = z.infer<typeof checkpointRef>;
export type MessageWire = z.infer<typeof message>;
export type CheckpointStateWire = z.infer<typeof checkpointState>;
export type UpdatedStateWire = z.infer<typeof updatedState>;
export type StateWire = z.infer<typeof state>;
export type HistoryEntryWire = z.infer<typeof historyEntry>;
