import { z } from 'zod';
import { asksAgent, asksAssistant } from '../../contract/permissions.ts';
import type { Principal } from '../../model/principal.ts';
import type { AgentService } from '../../threads/agent-service.ts';
import type { Endpoints } from '../endpoint.ts';
import { spliced } from '../response/json-writer.ts';
import { type GraphShape, nestedGraphs, presentDrawing } from './assistant-graph.ts';
import { agentOf, type KnownAssistants } from './assistants.ts';
import { compatRoute, flagQuery } from './compat-route.ts';

const asks = [asksAssistant('read'), asksAgent];
const schemas = compatRoute('get', '/assistants/{assistant_id}/schemas', { asks });
const graph = compatRoute('get', '/assistants/{assistant_id}/graph', {
  asks,
  query: z.object({ xray: z.exactOptional(z.string()) }),
});
const nested = { query: z.object({ recurse: flagQuery }) };
const subgraphs = compatRoute('get', '/assistants/{assistant_id}/subgraphs', { asks, ...nested });
const subgraph = compatRoute('get', '/assistants/{assistant_id}/subgraphs/{namespace}', {
  asks,
  ...nested,
});

export const assistantGraphContracts = [schemas, graph, subgraphs, subgraph];

/** Maximum nesting depth of sub-graphs in a drawing. */
const MAX_DEPTH = 10;

/** The graph of an assistant: that of its agent. */
export function assistantGraphRoutes(
  endpoints: Endpoints,
  services: KnownAssistants & { agents: AgentService },
): void {
  const { agents } = services;

  async function shape(principal: Principal, id: string, depth: number, signal: AbortSignal) {
    const name = await agentOf(services, principal, id);
    const drawn = await agents.graph(principal, name, depth, signal);
    return JSON.parse(drawn.graph) as GraphShape; // the guest's own form
  }

  endpoints.on(schemas, async ({ principal, params, signal }) => {
    const name = await agentOf(services, principal, params['assistant_id'] ?? '');
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
