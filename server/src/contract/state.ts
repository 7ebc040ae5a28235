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

export const historyEntry = z
  .object({
    checkpoint: checkpointRef,
    values: jsonObject,
    metadata: z.exactOptional(jsonObject),
    created_at: timestamp,
    parent_checkpoint: z
      .exactOptional(checkpointRef)
      .meta({ description: 'Omitted once the parent is no longer retained.' }),
  })
  .meta({ id: 'HistoryEntry' });

export type CheckpointRefWire = z.infer<typeof checkpointRef>;
export type MessageWire = z.infer<typeof message>;
export type StateWire = z.infer<typeof state>;
export type HistoryEntryWire = z.infer<typeof historyEntry>;
