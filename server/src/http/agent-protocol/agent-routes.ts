import { z } from 'zod';
import { asksAgent, asksAgents } from '../../contract/permissions.ts';
import { isServiceError } from '../../errors/service-error.ts';
import { isObject, type JsonText } from '../../model/json.ts';
import type { Principal } from '../../model/principal.ts';
import type { AgentService } from '../../threads/agent-service.ts';
import type { AgentsPort } from '../../threads/ports.ts';
import { askedName } from '../compat/assistants.ts';
import type { Endpoints } from '../endpoint.ts';
import { presentAgentSchemas } from '../response/present.ts';
import { presentProtocolAgent } from './present-protocol.ts';
import { protocolRoute } from './protocol-route.ts';

const search = protocolRoute('post', '/agents/search', {
  asks: asksAgents('search'),
  body: z.object({
    name: z.exactOptional(z.string()),
    metadata: z.exactOptional(z.record(z.string(), z.unknown())),
    limit: z.exactOptional(z.int().min(1).max(1000)),
    offset: z.exactOptional(z.int().min(0)),
  }),
  isRead: true,
});
const get = protocolRoute('get', '/agents/{agent_id}', { asks: [asksAgent] });
const schemas = protocolRoute('get', '/agents/{agent_id}/schemas', { asks: [asksAgent] });

export const protocolAgentContracts = [search, get, schemas];

/** The agents of the manifest. */
export function protocolAgentRoutes(
  endpoints: Endpoints,
  { agents, known }: { agents: AgentService; known: AgentsPort },
): void {
  endpoints.on(search, async ({ principal, body }) => {
    const { name = '', metadata = {}, limit = 10, offset = 0 } = body;
    const found = await agents.search(principal, { metadata, limit: Infinity, offset: 0 });
    const named = found.items.filter((agent) =>
      agent.name.toLowerCase().includes(name.toLowerCase()),
    );
    const page = named.slice(offset, offset + limit);
    return { status: 200, body: page.map((agent) => presentProtocolAgent(agent)) };
  });

  endpoints.on(get, async ({ principal, params, signal }) => {
    const agent = await agents.read(principal, nameOf(params));
    const hasMessages = await takesMessages(principal, agent.agentId, signal);
    return { status: 200, body: presentProtocolAgent(agent, hasMessages) };
  });

  endpoints.on(schemas, async ({ principal, params, signal }) => {
    const made = await agents.schemas(principal, nameOf(params), signal);
    return { status: 200, body: presentAgentSchemas(made) };
  });

  /** Undefined where no guest describes the agent. */
  async function takesMessages(
    principal: Principal,
    name: string,
    signal: AbortSignal,
  ): Promise<boolean | undefined> {
    try {
      return hasMessages((await agents.schemas(principal, name, signal)).state);
    } catch (error) {
      if (isServiceError(error)) return undefined;
      throw error;
    }
  }

  function nameOf({ agent_id: id = '' }: Record<string, string>): string {
    return askedName(known, id);
  }
}

function hasMessages(schema: JsonText): boolean {
  const { properties } = JSON.parse(schema) as { properties?: unknown }; // schemas are objects
  return isObject(properties) && Object.hasOwn(properties, 'messages');
}
