import { z } from 'zod';
import {
  asksAssistants,
  asksStatelessAwaited,
  asksValues,
  type AskedPermission,
} from '../../contract/permissions.ts';
import { isServiceError } from '../../errors/service-error.ts';
import { isObject, toJsonText } from '../../model/json.ts';
import type { Principal } from '../../model/principal.ts';
import type { AgentService } from '../../threads/agent-service.ts';
import type { RunService } from '../../threads/run-service.ts';
import type { StateService } from '../../threads/state-service.ts';
import type { EndpointRequest, Endpoints } from '../endpoint.ts';
import { parseInput } from '../request/parse-input.ts';
import {
  agentOf,
  type KnownAssistants,
  presentAssistant,
  presentStored,
  withAssistant,
} from './assistants.ts';
import { compatRoute } from './compat-route.ts';
import { presentTool, toolsByName, type ToolSource } from './mcp-tools.ts';
import { awaitOutcome } from './run-outcome.ts';
import { runBody, runRequestOf } from './run-body.ts';

const inCalls = (asked: AskedPermission): AskedPermission => ({
  ...asked,
  when: ['with `tools/call`', asked.when ?? []].flat().join(', '),
});
const mcp = compatRoute('post', '/mcp', {
  asks: [
    ...asksAssistants.map((asked) => ({ ...asked, when: 'with `tools/list` and `tools/call`' })),
    ...[...asksStatelessAwaited, asksValues].map(inCalls),
  ],
  body: z.looseObject({
    jsonrpc: z.literal('2.0', { error: 'must be "2.0"' }),
    id: z.union([z.string(), z.number()]).nullish(),
    method: z.string().optional(),
    params: z.looseObject({}).optional(),
  }),
});

export const mcpContracts = [mcp];

/** Versions of the protocol that are spoken: they differ in what is not used here. */
const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const TOOLS_OF_A_PAGE = 100;

// JSON-RPC 2.0, 5.1
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

type Outcome = { result: object } | { error: { code: number; message: string } };
type Asked = Pick<EndpointRequest<typeof mcp>, 'principal' | 'signal'> & {
  params: Record<string, unknown>;
};

export interface McpServices extends KnownAssistants {
  agents: AgentService;
  runs: RunService;
  states: StateService;
}

/**
 * Assistants as tools of the Model Context Protocol, over Streamable HTTP without sessions: each request is one POST,
 * and its response JSON.
 */
export function mcpRoutes(
  endpoints: Endpoints,
  services: McpServices,
  { version }: { version: string },
): void {
  const { agents, assistants, known, runs } = services;
  const since = new Date().toISOString();

  async function tools(principal: Principal): Promise<[string, ToolSource][]> {
    const [stored, ofAgents] = await Promise.all([
      assistants.find(principal, { metadata: {} }),
      agents.list(principal),
    ]);
    const sources = [
      ...ofAgents.map((agent) => presentAssistant(agent, since)),
      ...stored.map(presentStored),
    ];
    return [...toolsByName(sources)];
  }

  async function listTools({ principal, params, signal }: Asked): Promise<Outcome> {
    const { cursor } = params;
    const offset = typeof cursor === 'string' && /^\d{1,9}$/.test(cursor) ? Number(cursor) : 0;
    const all = await tools(principal);
    const page = all.slice(offset, offset + TOOLS_OF_A_PAGE);
    const listed = await Promise.all(
      page.map(async ([name, source]) => {
        const agent = await agentOf(services, principal, source.graph_id);
        // An agent that cannot be loaded is no tool.
        const made = await agents.schemas(principal, agent, signal).catch(ifServiceError);
        return made ? [presentTool(name, source, JSON.parse(made.input))] : [];
      }),
    );
    const next = offset + TOOLS_OF_A_PAGE;
    const nextCursor = next < all.length && { nextCursor: String(next) };
    return { result: { tools: listed.flat(), ...nextCursor } };
  }

  async function callTool({ principal, params, signal }: Asked): Promise<Outcome> {
    const { name, arguments: input = {}, context } = params;
    const found = (await tools(principal)).find(([one]) => one === name);
    if (!found) return invalid(`Unknown tool: ${JSON.stringify(name)}`);
    const [, source] = found;
    const asked = {
      assistant_id: source.assistant_id,
      input,
      ...(context !== undefined && { context }),
    };
    const body = parseInput(runBody, asked);
    const full = await withAssistant(services, principal, { body, members: new Map() });
    const request = runRequestOf(full.body, full.members, known);
    const begun = await runs.createStateless(principal, request, {
      ...{ thenDoes: 'service:run:read', isAwaited: true },
    });
    const ends = { signal, isCancelledOnDisconnect: true };
    const { run, values } = await awaitOutcome(services, { principal, begun }, ends);
    return { result: presentResult(values, run.status === 'error') };
  }

  async function respond(method: string, asked: Asked): Promise<Outcome> {
    switch (method) {
      case 'initialize':
        return { result: presentServer(asked.params['protocolVersion'], version) };
      case 'ping':
        return { result: {} };
      case 'tools/list':
        return listTools(asked);
      case 'tools/call':
        return callTool(asked);
      default:
        return { error: { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` } };
    }
  }

  endpoints.on(mcp, async ({ principal, body, signal }) => {
    const { id, method, params = {} } = body;
    // Responses and notifications.
    if (id === undefined || id === null || method === undefined) return { status: 202 };
    const outcome = await respond(method, { principal, params, signal });
    return { status: 200, body: { jsonrpc: '2.0', id, ...outcome } };
  });
}

function presentServer(asked: unknown, version: string): object {
  const [newest] = protocolVersions;
  return {
    protocolVersion: protocolVersions.find((one) => one === asked) ?? newest,
    capabilities: { tools: { listChanged: false } },
    serverInfo: { name: 'Agent Runtime', version },
  };
}

/** The values of a run, as JSON and, where they are an object, as such. */
function presentResult(values: string, isError: boolean): object {
  const parsed: unknown = JSON.parse(values);
  const shown = isError && isObject(parsed) ? toJsonText(parsed['__error__']) : values;
  return {
    content: [{ type: 'text', text: shown }],
    ...(isError ? { isError } : isObject(parsed) && { structuredContent: parsed }),
  };
}

function invalid(text: string): Outcome {
  return { error: { code: INVALID_PARAMS, message: text } };
}

function ifServiceError(error: unknown): undefined {
  if (!isServiceError(error)) throw error;
}
