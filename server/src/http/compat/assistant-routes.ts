import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { asksAgent, asksAgents, asksNothing } from '../../contract/permissions.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Principal } from '../../model/principal.ts';
import type { AgentService } from '../../threads/agent-service.ts';
import type { AgentsPort } from '../../threads/ports.ts';
import type { Endpoints } from '../endpoint.ts';
import { spliced } from '../response/json-writer.ts';
import { paginationHeaders } from '../request/parse-input.ts';
import {
  askedName,
  type GraphShape,
  nestedGraphs,
  presentAssistant,
  presentDrawing,
} from './assistants.ts';
import { compatRoute, flagQuery, optional, selected } from './compat-route.ts';

const find = {
  graph_id: optional(z.string()),
  name: optional(z.string()),
  metadata: optional(z.record(z.string(), z.unknown())),
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

const search = compatRoute('post', '/assistants/search', {
  asks: asksAgents('list'),
  body: searchBody,
});
const count = compatRoute('post', '/assistants/count', {
  asks: asksAgents('list'),
  body: z.object(find),
});
const create = compatRoute('post', '/assistants', { asks: asksNothing, body: z.object({}) });
const get = compatRoute('get', '/assistants/{assistant_id}', { asks: [asksAgent] });
const change = compatRoute('patch', '/assistants/{assistant_id}', {
  asks: asksNothing,
  body: z.object({}),
});
const remove = compatRoute('delete', '/assistants/{assistant_id}', { asks: asksNothing });
const schemas = compatRoute('get', '/assistants/{assistant_id}/schemas', { asks: [asksAgent] });
const graph = compatRoute('get', '/assistants/{assistant_id}/graph', {
  asks: [asksAgent],
  query: z.object({ xray: z.exactOptional(z.string()) }),
});
const nested = { query: z.object({ recurse: flagQuery }) };
const subgraphs = compatRoute('get', '/assistants/{assistant_id}/subgraphs', {
  asks: [asksAgent],
  ...nested,
});
const subgraph = compatRoute('get', '/assistants/{assistant_id}/subgraphs/{namespace}', {
  asks: [asksAgent],
  ...nested,
});
const versions = compatRoute('post', '/assistants/{assistant_id}/versions', {
  asks: [asksAgent],
  body: z.object(page),
});
const latest = compatRoute('post', '/assistants/{assistant_id}/latest', {
  asks: [asksAgent],
  body: z.object({ version: z.int() }),
});

export const assistantContracts = [
  ...[search, count, create, get, change, remove, schemas, graph],
  ...[subgraphs, subgraph, versions, latest],
];

/** Maximum nesting depth of sub-graphs in a drawing. */
const MAX_DEPTH = 10;

/** Assistants: one for each agent, created and changed only by the manifest. */
export function assistantRoutes(
  endpoints: Endpoints,
  services: { agents: AgentService; known: AgentsPort },
): void {
  const { agents, known } = services;
  const since = new Date().toISOString();

  async function found(principal: Principal, wanted: Search) {
    const all = await agents.list(principal);
    return all.map((agent) => presentAssistant(agent, since)).filter((one) => fits(one, wanted));
  }

  async function shape(principal: Principal, id: string, depth: number, signal: AbortSignal) {
    const drawn = await agents.graph(principal, askedName(known, id), depth, signal);
    return JSON.parse(drawn.graph) as GraphShape; // the guest's own form
  }

  endpoints.on(search, async ({ principal, body }) => {
    const all = sorted(await found(principal, body), body);
    const { limit = 10, offset = 0 } = body;
    const items = all.slice(offset, offset + limit);
    return {
      status: 200,
      body: items.map((one) => selected(one, body.select)),
      headers: paginationHeaders({ offset }, { items, total: all.length }),
    };
  });

  endpoints.on(count, async ({ principal, body }) => {
    const all = await found(principal, { ...noPage, ...body });
    return { status: 200, body: all.length };
  });

  endpoints.on(get, async ({ principal, params }) => {
    const agent = await agents.read(principal, askedName(known, params['assistant_id'] ?? ''));
    return { status: 200, body: presentAssistant(agent, since) };
  });

  for (const contract of [create, change, remove]) {
    endpoints.on(contract, () => {
      const message = 'Assistants are the agents of the manifest: they are made and changed there.';
      throw new ServiceError('invalid_request', message);
    });
  }

  endpoints.on(schemas, async ({ principal, params, signal }) => {
    const name = askedName(known, params['assistant_id'] ?? '');
    const made = await agents.schemas(principal, name, signal);
    return {
      status: 200,
      body: {
        graph_id: name,
        input_schema: spliced(made.input),
        output_schema: spliced(made.output),
        state_schema: spliced(made.state),
        config_schema: spliced(made.config),
        context_schema: made.context === undefined ? null : spliced(made.context),
      },
    };
  });

  endpoints.on(graph, async ({ principal, params, query, signal }) => {
    const depth = depthOf(query.xray);
    const drawn = await shape(principal, params['assistant_id'] ?? '', depth, signal);
    return { status: 200, body: presentDrawing(drawn) };
  });

  for (const contract of [subgraphs, subgraph]) {
    endpoints.on(contract, async ({ principal, params, signal }) => {
      const wanted = params['namespace'];
      const names = nestedGraphs(await shape(principal, params['assistant_id'] ?? '', 0, signal));
      const here = names.filter((name) => wanted === undefined || name === wanted);
      const entries = here.map((name) => [name, unknownSchemas(name)]);
      return { status: 200, body: Object.fromEntries(entries) };
    });
  }

  endpoints.on(versions, async ({ principal, params }) => {
    const agent = await agents.read(principal, askedName(known, params['assistant_id'] ?? ''));
    const { updated_at: _, ...version } = presentAssistant(agent, since);
    return { status: 200, body: [version] };
  });

  endpoints.on(latest, async ({ principal, params, body }) => {
    const agent = await agents.read(principal, askedName(known, params['assistant_id'] ?? ''));
    if (body.version === 1) return { status: 200, body: presentAssistant(agent, since) };
    throw new ServiceError('invalid_request', 'An assistant has one version, 1: the agent.');
  });
}

type Assistant = ReturnType<typeof presentAssistant>;

const noPage = {
  limit: undefined,
  offset: undefined,
  sort_by: undefined,
  sort_order: undefined,
  select: undefined,
};

function fits(one: Assistant, { graph_id, name, metadata = {} }: Search): boolean {
  const has: Record<string, unknown> = one.metadata;
  return (
    (graph_id === undefined || one.graph_id === graph_id) &&
    (name === undefined || one.name.toLowerCase().includes(name.toLowerCase())) &&
    Object.entries(metadata).every(([key, value]) => isDeepStrictEqual(has[key], value))
  );
}

/** In the manifest's order unless the request names another one. */
function sorted(all: Assistant[], { sort_by: by, sort_order: order }: Search): Assistant[] {
  if (by === undefined) return all;
  const ascending = all.toSorted((a, b) => (a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : 0));
  return order === 'asc' ? ascending : ascending.toReversed();
}

function depthOf(xray: string | undefined): number {
  if (xray === undefined || /^(?:false|0)$/i.test(xray)) return 0;
  return /^\d+$/.test(xray) ? Math.min(Number(xray), MAX_DEPTH) : MAX_DEPTH;
}

/** Guests make schemas only of whole agents. */
function unknownSchemas(name: string): Record<string, unknown> {
  return {
    graph_id: name,
    input_schema: null,
    output_schema: null,
    state_schema: null,
    config_schema: null,
    context_schema: null,
  };
}
