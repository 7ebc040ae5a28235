import { z } from 'zod';
import { asksNothing } from '../../contract/permissions.ts';
import type { RouteContract } from '../../contract/route.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { AgentsPort } from '../../threads/ports.ts';
import type { Services } from '../../threads/services.ts';
import type { Endpoints } from '../endpoint.ts';
import { a2aContracts, a2aRoutes } from './a2a/a2a-routes.ts';
import { assistantGraphContracts, assistantGraphRoutes } from './assistant-graph-routes.ts';
import { assistantContracts, assistantRoutes } from './assistant-routes.ts';
import { compatRoute } from './compat-route.ts';
import { mcpContracts, mcpRoutes } from './mcp-routes.ts';
import { runContracts } from './run-contracts.ts';
import { compatRunRoutes } from './run-routes.ts';
import { compatStateRoutes, stateContracts } from './state-routes.ts';
import { compatStoreRoutes, storeContracts } from './store-routes.ts';
import { compatThreadRoutes, threadContracts } from './thread-routes.ts';
import { threadProtocolContracts, threadProtocolRoutes } from './thread-protocol/event-routes.ts';
import { compatThreadStream, threadStreamContracts } from './thread-stream.ts';
import { compatThreadSearch, threadSearchContracts } from './thread-search.ts';

const ok = compatRoute('get', '/ok', { asks: asksNothing, isPublic: true });
const info = compatRoute('get', '/info', { asks: asksNothing, isPublic: true });
const anything = { asks: asksNothing, body: z.object({}) };

/** Routes of LangGraph Server that this service does not implement, with what to use instead. */
const missing: readonly { contract: RouteContract; sentence: string }[] = [
  ...[
    compatRoute('post', '/runs/crons', anything),
    compatRoute('post', '/runs/crons/search', anything),
    compatRoute('post', '/runs/crons/count', anything),
    compatRoute('patch', '/runs/crons/{cron_id}', anything),
    compatRoute('delete', '/runs/crons/{cron_id}', { asks: asksNothing }),
    compatRoute('post', '/threads/{thread_id}/runs/crons', anything),
  ].map((contract) => ({
    contract,
    sentence: 'There are no crons here: let a scheduler of your own create the runs.',
  })),
];

/** Every route, for the method check. */
export const compatContracts: readonly RouteContract[] = [
  ok,
  info,
  ...assistantContracts,
  ...assistantGraphContracts,
  ...threadSearchContracts,
  ...threadStreamContracts,
  ...threadProtocolContracts,
  ...threadContracts,
  ...stateContracts,
  ...missing.map(({ contract }) => contract),
  ...mcpContracts,
  ...a2aContracts,
  ...runContracts,
  ...storeContracts,
];

/**
 * The API of LangGraph Server under `/compat/langgraph`, as far as its clients use it. It translates requests and
 * responses over the same services, and does not run anything in a second way.
 */
export function compatRoutes(
  endpoints: Endpoints,
  services: Services & { known: AgentsPort },
  options: {
    version: string;
    /** Of new threads; undefined: as everywhere. */
    checkpointHistory: number | undefined;
    heartbeatMs: number;
    onFailure: (error: unknown) => void;
  },
): void {
  endpoints.on(ok, () => ({ status: 200, body: { ok: true } }));
  endpoints.on(info, () => ({
    status: 200,
    body: {
      version: options.version,
      flags: { assistants: true, crons: false, langsmith: false },
      host: { kind: 'agent-runtime' },
    },
  }));
  for (const { contract, sentence } of missing) {
    endpoints.on(contract, () => {
      throw new ServiceError('route_not_found', sentence);
    });
  }
  assistantRoutes(endpoints, services);
  assistantGraphRoutes(endpoints, services);
  mcpRoutes(endpoints, services, options);
  a2aRoutes(endpoints, services, options);
  compatThreadSearch(endpoints, services);
  compatThreadRoutes(endpoints, services, options);
  compatThreadStream(endpoints, services, options);
  threadProtocolRoutes(endpoints, services, options);
  compatStateRoutes(endpoints, services);
  compatRunRoutes(endpoints, services, options);
  compatStoreRoutes(endpoints, services);
}
