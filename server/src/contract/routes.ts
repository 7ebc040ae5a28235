import * as agentRoutes from './agent-routes.ts';
import type { RouteContract } from './route.ts';
import {
  cancelRun,
  cancelThreadRun,
  createRun,
  createStatelessRun,
  deleteRun,
  getRun,
  getThreadRun,
  listRuns,
  streamRun,
  streamStatelessRun,
  streamThreadRun,
  waitRun,
  waitStatelessRun,
} from './run-routes.ts';
import * as serviceRoutes from './service-routes.ts';
import * as storeRoutes from './store-routes.ts';
import * as threadRoutes from './thread-routes.ts';

/** Every endpoint, in the order of the OpenAPI document. Fixed paths stand before `/runs/{run_id}`. */
export const routes: readonly RouteContract[] = [
  serviceRoutes.getHealth,
  serviceRoutes.getReady,
  serviceRoutes.getLive,
  serviceRoutes.getInfo,
  serviceRoutes.getOpenApi,
  threadRoutes.createThread,
  threadRoutes.getThread,
  threadRoutes.patchThread,
  threadRoutes.deleteThread,
  threadRoutes.copyThread,
  createRun,
  listRuns,
  getThreadRun,
  streamThreadRun,
  cancelThreadRun,
  createStatelessRun,
  waitStatelessRun,
  streamStatelessRun,
  getRun,
  waitRun,
  streamRun,
  cancelRun,
  deleteRun,
  threadRoutes.getState,
  threadRoutes.findCheckpointState,
  threadRoutes.getCheckpointState,
  threadRoutes.getHistory,
  threadRoutes.findHistory,
  agentRoutes.listAgents,
  agentRoutes.getAgent,
  storeRoutes.listStoreNamespaces,
  storeRoutes.putStoreItem,
  storeRoutes.getStoreItem,
  storeRoutes.deleteStoreItem,
  storeRoutes.searchStoreItems,
];
