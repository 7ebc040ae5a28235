import { asksNothing } from '../../contract/permissions.ts';
import type { RouteContract } from '../../contract/route.ts';
import type { AgentsPort } from '../../threads/ports.ts';
import type { Services } from '../../threads/services.ts';
import type { Endpoints } from '../endpoint.ts';
import { a2aContracts, a2aRoutes } from './a2a/a2a-routes.ts';
import { assistantGraphContracts, assistantGraphRoutes } from './assistant-graph-routes.ts';
import { assistantContracts, assistantRoutes } from './assistant-routes.ts';
import { compatRoute } from './compat-route.ts';
import { cronContracts } from './cron-contracts.ts';
import { compatCronRoutes } from './cron-routes.ts';
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
  ...mcpContracts,
  ...a2aContracts,
  ...cronContracts,
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
      flags: { assistants: true, crons: true, langsmith: false },
      host: { kind: 'agent-runtime' },
    },
  }));
  assistantRoutes(endpoints, services);
  assistantGraphRoutes(endpoints, services);
  mcpRoutes(endpoints, services, options);
  a2aRoutes(endpoints, services, options);
  compatCronRoutes(endpoints, services);
  compatThreadSearch(endpoints, services);
  compatThreadRoutes(endpoints, services, options);
  compatThreadStream(endpoints, services, options);
  threadProtocolRoutes(endpoints, services, options);
  compatStateRoutes(endpoints, services);
  compatRunRoutes(endpoints, services, options);
  compatStoreRoutes(endpoints, services);
}
