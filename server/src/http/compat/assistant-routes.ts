import { z } from 'zod';
import {
  asksAgentOfAssistant,
  asksAssistant,
  asksAssistants,
  asksNewAssistant,
  asksThreadsOfAssistant,
} from '../../contract/permissions.ts';
import { configurableObject } from '../../contract/scalars.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Principal } from '../../model/principal.ts';
import type { AgentService } from '../../threads/agent-service.ts';
import type { AssistantChange } from '../../threads/assistant-service.ts';
import { hasMembers } from '../../threads/has-members.ts';
import type { RunService } from '../../threads/run-service.ts';
import type { ThreadService } from '../../threads/thread-service.ts';
import type { Endpoints } from '../endpoint.ts';
import { paginationHeaders } from '../request/parse-input.ts';
import { deleteAssistantThreads } from './assistant-threads.ts';
import {
  askedName,
  isStored,
  type KnownAssistants,
  presentAssistant,
  presentStored,
  presentVersion,
} from './assistants.ts';
import { compatRoute, flagQuery, optional, selected } from './compat-route.ts';

const anyObject = z.record(z.string(), z.unknown(), { error: 'must be an object' });
const name = z
  .string()
  .max(1_000)
  // PostgreSQL takes none.
  .regex(/^[^\0]*$/, { error: 'must not have a NUL' });
const find = {
  graph_id: optional(z.string()),
  name: optional(z.string()),
  metadata: optional(anyObject),
};
const page = {
  limit: optional(z.int().min(1).max(1000)),
  offset: optional(z.int().min(0)),
};
const orders = ['assistant_id', 'graph_id', 'name', 'created_at', 'updated_at'] as const;
const searchBody = z.object({
  ...find,
  ...page,
  sort_by: optional(z.enum(orders)),
  sort_order: optional(z.enum(['asc', 'desc'])),
  select: optional(z.array(z.string())),
});
type Search = z.infer<typeof searchBody>;

const content = {
  name: optional(name),
  description: optional(name),
  config: optional(z.looseObject({ configurable: optional(configurableObject) })),
  context: optional(configurableObject),
  metadata: optional(anyObject),
};
interface Configured {
  config?: { configurable?: object | undefined } | undefined;
  context?: object | undefined;
}
/** As for a run. */
const isOneOfThem = ({ config, context }: Configured): boolean =>
  Object.keys(config?.configurable ?? {}).length === 0 || Object.keys(context ?? {}).length === 0;
const excludeEachOther = {
  path: ['context'],
  error: 'config.configurable and context exclude each other',
};
const createBody = z
  .object({
    ...content,
    graph_id: z.string(),
    assistant_id: optional(z.uuid({ error: 'must be a UUID' })),
    if_exists: optional(z.enum(['raise', 'do_nothing'])),
  })
  .refine(isOneOfThem, excludeEachOther);
const changeBody = z
  .object({ ...content, graph_id: optional(z.string()) })
  .refine(isOneOfThem, excludeEachOther);

const one = '/assistants/{assistant_id}';
const search = compatRoute('post', '/assistants/search', {
  asks: asksAssistants,
  body: searchBody,
});
const count = compatRoute('post', '/assistants/count', {
  asks: asksAssistants,
  body: z.object(find),
});
const create = compatRoute('post', '/assistants', { asks: asksNewAssistant, body: createBody });
const get = compatRoute('get', one, { asks: [asksAssistant('read'), asksAgentOfAssistant] });
const change = compatRoute('patch', one, { asks: [asksAssistant('update')], body: changeBody });
const remove = compatRoute('delete', one, {
  asks: [asksAssistant('delete'), ...asksThreadsOfAssistant],
  query: z.object({ delete_threads: flagQuery }),
});
const versions = compatRoute('post', `${one}/versions`, {
  asks: [asksAssistant('read'), asksAgentOfAssistant],
  body: z.object({ ...page, metadata: optional(anyObject) }),
});
const latest = compatRoute('post', `${one}/latest`, {
  asks: [asksAssistant('update'), asksAgentOfAssistant],
  body: z.object({ version: z.int() }),
});

export const assistantContracts = [search, count, create, get, change, remove, versions, latest];

/** Assistants: one for each agent, which the manifest makes and changes, and those that users make. */
export function assistantRoutes(
  endpoints: Endpoints,
  services: KnownAssistants & { agents: AgentService; threads: ThreadService; runs: RunService },
): void {
  const { agents, assistants, known } = services;
  const since = new Date().toISOString();

  async function found(principal: Principal, wanted: Search) {
    const { graph_id: graphId, name: named, metadata = {} } = wanted;
    const [ofAgents, stored] = await Promise.all([
      agents.list(principal),
      assistants.find(principal, {
        metadata,
        ...(graphId !== undefined && { agentId: graphId }),
        ...(named !== undefined && { name: named }),
      }),
    ]);
    const own = ofAgents.map((agent) => presentAssistant(agent, since));
    return [...stored.map(presentStored), ...own.filter((agent) => fits(agent, wanted))];
  }

  async function ofAgent(principal: Principal, id: string) {
    return presentAssistant(await agents.read(principal, askedName(known, id)), since);
  }

  endpoints.on(search, async ({ principal, body }) => {
    const all = sorted(await found(principal, body), body);
    const { limit = 10, offset = 0 } = body;
    const items = all.slice(offset, offset + limit);
    return {
      status: 200,
      body: items.map((row) => selected(row, body.select)),
      headers: paginationHeaders({ offset }, { items, total: all.length }),
    };
  });

  endpoints.on(count, async ({ principal, body }) => {
    const all = await found(principal, { ...noPage, ...body });
    return { status: 200, body: all.length };
  });

  endpoints.on(create, async ({ principal, body }) => {
    const { assistant_id: assistantId, if_exists: ifExists = 'raise', ...rest } = body;
    const made = await assistants.create(principal, {
      ...changeOf(rest),
      agentId: askedName(known, body.graph_id),
      ifExists,
      ...(assistantId !== undefined && { assistantId }),
    });
    return { status: 200, body: presentStored(made) };
  });

  endpoints.on(get, async ({ principal, params }) => {
    const id = idOf(params);
    if (!isStored(known, id)) return { status: 200, body: await ofAgent(principal, id) };
    return { status: 200, body: presentStored(await assistants.read(principal, id)) };
  });

  endpoints.on(change, async ({ principal, params, body }) => {
    const id = requireStored(params);
    const { graph_id: graphId } = body;
    const changed = await assistants.change(principal, id, {
      ...changeOf(body),
      ...(graphId !== undefined && { agentId: askedName(known, graphId) }),
    });
    return { status: 200, body: presentStored(changed) };
  });

  endpoints.on(remove, async ({ principal, params, query }) => {
    const id = requireStored(params);
    const assistant = await assistants.delete(principal, id);
    if (query.delete_threads) await deleteAssistantThreads(services, principal, assistant);
    return { status: 204 };
  });

  endpoints.on(versions, async ({ principal, params, body }) => {
    const id = idOf(params);
    if (!isStored(known, id)) {
      const { updated_at: _, ...version } = await ofAgent(principal, id);
      return { status: 200, body: [version] };
    }
    const { limit = 10, offset = 0, metadata = {} } = body;
    const all = await assistants.versions(principal, id);
    const matching = all.filter((version) => hasMembers(version.metadata, metadata));
    const shown = matching.slice(offset, offset + limit);
    return { status: 200, body: shown.map(presentVersion) };
  });

  endpoints.on(latest, async ({ principal, params, body: { version } }) => {
    const id = idOf(params);
    if (isStored(known, id)) {
      const current = await assistants.setVersion(principal, id, version);
      return { status: 200, body: presentStored(current) };
    }
    if (version === 1) return { status: 200, body: await ofAgent(principal, id) };
    throw new ServiceError('invalid_request', 'The assistant of an agent has one version, 1.');
  });

  function requireStored(params: Record<string, string>): string {
    const id = idOf(params);
    if (isStored(known, id)) return id;
    const message = 'The assistant of an agent is changed in the manifest: create another one.';
    throw new ServiceError('invalid_request', message);
  }
}

type Shown = Pick<ReturnType<typeof presentAssistant>, (typeof orders)[number]>;

const noPage = {
  limit: undefined,
  offset: undefined,
  sort_by: undefined,
  sort_order: undefined,
  select: undefined,
};

function idOf({ assistant_id: id = '' }: Record<string, string>): string {
  return id;
}

type Content = Pick<z.infer<typeof changeBody>, keyof typeof content>;

/** The given members. */
function changeOf({ name, description, config, context, metadata }: Content): AssistantChange {
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(config !== undefined && { config }),
    ...(context !== undefined && { context }),
    ...(metadata !== undefined && { metadata }),
  };
}

function fits(
  agent: ReturnType<typeof presentAssistant>,
  { graph_id: graphId, name: named, metadata = {} }: Search,
): boolean {
  return (
    (graphId === undefined || agent.graph_id === graphId) &&
    (named === undefined || agent.name.toLowerCase().includes(named.toLowerCase())) &&
    hasMembers(agent.metadata, metadata)
  );
}

/** The newest first and then the agents in the manifest's order, unless the request names another order. */
function sorted<T extends Shown>(
  all: T[],
  { sort_by: by, sort_order: order }: Pick<Search, 'sort_by' | 'sort_order'>,
): T[] {
  if (by === undefined) return all;
  const ascending = all.toSorted((a, b) => (a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : 0));
  return order === 'asc' ? ascending : ascending.toReversed();
}
