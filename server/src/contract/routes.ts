/*
 * The HTTP contract as data: each route with its schemas, errors and permissions. Routes parse with it, and the OpenAPI
 * document is generated from it.
 */
import * as agentRoutes from './agent-routes.ts';
import * as bundleRoutes from './bundle-routes.ts';
import * as historyRoutes from './history-routes.ts';
import * as policyRoutes from './policy-routes.ts';
import type { RouteContract } from './route.ts';
import {
  cancelRun,
  cancelThreadRun,
  createRun,
  createStatelessRun,
  deleteRun,
  getRun,
  getRunLogs,
  getThreadRun,
  getThreadRunLogs,
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

/** Every endpoint, in the order of the OpenAPI document. Fixed paths precede `/runs/{run_id}`. */
export const routes: readonly RouteContract[] = [
  serviceRoutes.getHealth,
  serviceRoutes.getReady,
  serviceRoutes.getLive,
  serviceRoutes.getInfo,
  serviceRoutes.getOpenApi,
  serviceRoutes.getMetrics,
  threadRoutes.createThread,
  threadRoutes.searchThreads,
  threadRoutes.getThread,
  threadRoutes.patchThread,
  threadRoutes.deleteThread,
  threadRoutes.copyThread,
  bundleRoutes.exportThread,
  bundleRoutes.importBundle,
  createRun,
  listRuns,
  getThreadRun,
  getThreadRunLogs,
  streamThreadRun,
  cancelThreadRun,
  createStatelessRun,
  waitStatelessRun,
  streamStatelessRun,
  historyRoutes.listAllRuns,
  historyRoutes.searchRuns,
  getRun,
  getRunLogs,
  historyRoutes.getRunInput,
  historyRoutes.getRunTrace,
  historyRoutes.streamRunTrace,
  historyRoutes.callModelAgain,
  waitRun,
  streamRun,
  cancelRun,
  deleteRun,
  historyRoutes.getRunStats,
  historyRoutes.getNodeStats,
  threadRoutes.getState,
  threadRoutes.updateState,
  threadRoutes.findCheckpointState,
  threadRoutes.getCheckpointState,
  threadRoutes.getHistory,
  threadRoutes.findHistory,
  agentRoutes.listAgents,
  agentRoutes.searchAgents,
  agentRoutes.getAgent,
  agentRoutes.getAgentSchemas,
  agentRoutes.getAgentGraph,
  storeRoutes.listStoreNamespaces,
  storeRoutes.putStoreItem,
  storeRoutes.getStoreItem,
  storeRoutes.deleteStoreItem,
  storeRoutes.searchStoreItems,
  policyRoutes.getPolicy,
  policyRoutes.listDecisions,
  policyRoutes.streamDecisions,
  policyRoutes.explainDecision,
  policyRoutes.listPermissions,
];
