import { z } from 'zod';
import { jsonObject } from './scalars.ts';

export const agent = z
  .object({
    agent_id: z.string(),
    name: z.string(),
    description: z.exactOptional(z.string()),
    metadata: z.exactOptional(jsonObject).meta({ description: 'Omitted when empty.' }),
    capabilities: z.object({ supports_interrupt: z.boolean(), supports_streaming: z.boolean() }),
    error: z
      .exactOptional(
        z.object({ code: z.string(), message: z.string(), traceback: z.exactOptional(z.string()) }),
      )
      .meta({ description: 'Extension: why the agent could not be loaded.' }),
  })
  .meta({ id: 'Agent' });

export const agentParams = z.object({ name: z.string() });

export type AgentWire = z.infer<typeof agent>;
