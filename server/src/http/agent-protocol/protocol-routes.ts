/*
 * Agent Protocol (langchain-ai/agent-protocol) under a base path of its own: a translation over the same services, by
 * the parts of `compat` wherever the two agree.
 */
import { z } from 'zod';
import { asksNothing } from '../../contract/permissions.ts';
import type { RouteContract } from '../../contract/route.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { AgentsPort } from '../../threads/ports.ts';
import type { Services } from '../../threads/services.ts';
import { storeRoutes } from '../compat/store-routes.ts';
import type { Endpoints } from '../endpoint.ts';
import { protocolAgentContracts, protocolAgentRoutes } from './agent-routes.ts';
import { protocolRoute } from './protocol-route.ts';
import { protocolRunContracts } from './run-contracts.ts';
import { protocolRunRoutes } from './run-routes.ts';
import { protocolStore, protocolStoreForm } from './store-routes.ts';
import { protocolThreadContracts, protocolThreadRoutes } from './thread-routes.ts';

const threadStream = '/threads/{thread_id}/stream';
const anything = { asks: asksNothing, body: z.object({}) };

/** The streaming protocol of threads. */
const missing = [
  protocolRoute('post', threadStream, anything),
  protocolRoute('get', threadStream, { asks: asksNothing }),
  protocolRoute('post', '/threads/{thread_id}/commands', anything),
];

/** Every route, for the method check. */
export const protocolContracts: readonly RouteContract[] = [
  ...protocolAgentContracts,
  ...protocolThreadContracts,
  ...protocolRunContracts,
  ...Object.values(protocolStore),
  ...missing,
];

export function protocolRoutes(
  endpoints: Endpoints,
  services: Services & { known: AgentsPort },
  options: {
    /** Of new threads; undefined: as everywhere. */
    checkpointHistory: number | undefined;
    heartbeatMs: number;
    onFailure: (error: unknown) => void;
  },
): void {
  protocolAgentRoutes(endpoints, services);
  protocolThreadRoutes(endpoints, services, options);
  protocolRunRoutes(endpoints, services, options);
  storeRoutes(endpoints, services, protocolStore, protocolStoreForm);
  for (const contract of missing) {
    endpoints.on(contract, () => {
      const message =
        'Streams of threads are spoken under /compat/langgraph: create runs here and stream those.';
      throw new ServiceError('route_not_found', message, { status: 501 });
    });
  }
}
