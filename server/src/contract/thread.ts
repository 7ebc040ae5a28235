import { z } from 'zod';
import { jsonObject, stringMap, threadId, timestamp } from './scalars.ts';

export const threadStatus = z
  .enum(['idle', 'busy', 'interrupted', 'error'])
  .meta({ id: 'ThreadStatus' });

export const interrupt = z
  .object({ id: z.string(), value: z.unknown() })
  .meta({ id: 'Interrupt', description: 'A question of the agent that waits for an answer.' });

export const thread = z
  .object({
    thread_id: threadId,
    status: threadStatus,
    created_at: timestamp,
    updated_at: timestamp,
    metadata: stringMap,
  })
  .meta({ id: 'Thread' });

export const threadWithValues = thread
  .extend({
    values: jsonObject.meta({ description: 'State values at the head.' }),
    interrupts: z.exactOptional(z.array(interrupt)).meta({
      description: 'Extension: present while the thread waits for an answer.',
    }),
  })
  .meta({ id: 'ThreadWithValues' });

export const threadCreateBody = z
  .object({
    thread_id: z.exactOptional(threadId),
    metadata: z.exactOptional(
      jsonObject.meta({ description: 'Values that are no strings are stored as their JSON text.' }),
    ),
    if_exists: z
      .exactOptional(z.enum(['raise', 'do_nothing'], { error: 'must be raise or do_nothing' }))
      .meta({ description: 'Extension. `do_nothing` answers the existing thread.' }),
  })
  .meta({ id: 'ThreadCreate' });

export const threadPatchBody = z
  .object({
    metadata: jsonObject
      .refine((map) => Object.keys(map).length > 0, { error: 'must not be empty' })
      .meta({ description: 'Merged into the metadata by key.' }),
  })
  .meta({ id: 'ThreadPatch' });

export const threadParams = z.object({ thread_id: threadId });

export type ThreadWire = z.infer<typeof thread>;
export type ThreadWithValuesWire = z.infer<typeof threadWithValues>;
