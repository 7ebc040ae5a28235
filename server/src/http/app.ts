/*
 * HTTP: the order of everything a request passes. `request/` reads and checks it, `routes/`, `compat/` (LangGraph's API)
 * and `agent-protocol/` call the services of `threads`, `response/` writes the result, `server/` and `tls/` listen,
 * `agent-app/` serves the manifest's own routes and the clients within agents.
 */
import type { Express } from 'express';
import type { Logger } from 'pino';
import { type Authenticator, createAnonymousAuthenticator } from '../auth/authenticator.ts';
import { routes } from '../contract/routes.ts';
import type { FireCron } from '../crons/scheduler.ts';
import type { Webhook } from '../webhooks/port.ts';
import type { HttpMetrics } from '../observability/metrics.ts';
import { noTracing, type Tracing } from '../observability/tracing.ts';
import { createPermissiveDomain } from '../policy/built-in-policies.ts';
import { createServices, type ServicePorts } from '../threads/services.ts';
import { createProtocolErrors } from './agent-protocol/protocol-errors.ts';
import { protocolContracts, protocolRoutes } from './agent-protocol/protocol-routes.ts';
import { PROTOCOL_BASE } from './agent-protocol/protocol-route.ts';
import { COMPAT_BASE } from './compat/compat-route.ts';
import { compatContracts, compatRoutes } from './compat/compat-routes.ts';
import { cronFiring } from './compat/fire-cron.ts';
import { createJavaScriptErrors } from './compat/javascript-errors.ts';
import { webhookBody } from './compat/webhook-body.ts';
import { createWrongRequests } from './compat/wrong-requests.ts';
import { createCors } from './request/cors.ts';
import type { AgentApi } from './agent-app/agent-api.ts';
import { type AgentAppPort, createAgentApp } from './agent-app/agent-app.ts';
import { createEndpoints, createGate } from './endpoint.ts';
import { beginExpress, createMethodCheck, endExpress } from './express-frame.ts';
import { createHostCheck, type HostRules } from './request/host-check.ts';
import { createBodyReader } from './request/json-body.ts';
import { createLifecycle, type Lifecycle } from './server/lifecycle.ts';
import { createServiceTokenCheck } from './request/service-token.ts';
import { agentRoutes } from './routes/agent-routes.ts';
import { historyRoutes } from './routes/history-routes.ts';
import { logRoutes } from './routes/log-routes.ts';
import { policyRoutes } from './routes/policy-routes.ts';
import { runRoutes } from './routes/run-routes.ts';
import { type HealthCheck, serviceRoutes } from './routes/service-routes.ts';
import { storeRoutes } from './routes/store-routes.ts';
import { bundleRoutes } from './routes/bundle-routes.ts';
import { stateRoutes } from './routes/state-routes.ts';
import { streamRoutes } from './routes/stream-routes.ts';
import { threadRoutes } from './routes/thread-routes.ts';
import { HEARTBEAT_MS } from './response/sse.ts';
import { createStudio } from './server/studio.ts';
import { createSwaggerUi } from './server/swagger-ui.ts';

/** Decisions: "body too large". Twice the largest checkpoint, but at least this. */
export const MIN_BODY_LIMIT = 8 * 1024 * 1024;

/** The engine, the agents and the stream log, and how the HTTP side is set up. */
export interface AppOptions extends Omit<ServicePorts, 'policy'>, HostRules {
  logger: Logger;
  version: string;
  health: HealthCheck;
  /** What GET /info returns beside the version. */
  info?: () => Record<string, unknown>;
  /** Default: the built-in permissive domain. */
  policy?: ServicePorts['policy'];
  /** Default: every caller is anonymous. */
  authenticator?: Authenticator;
  /** Origins whose pages may call; `*` is every origin. Default: none. */
  allowedOrigins?: readonly string[];
  /** The token that every request must carry in X-Service-Token. Default: none. */
  serviceToken?: string;
  bodyLimitBytes?: number;
  /** Checkpoints retained of each run on a thread that a client of LangGraph Server makes. Absent: as everywhere. */
  compatCheckpointHistory?: number;
  /** The built page to serve under /studio/. Absent: the route does not exist. */
  studioFolder?: string;
  /** The agent folder's own routes, after all others, and whether they see the callers' tokens. Absent: none exist. */
  agentApp?: { port: AgentAppPort; isTokenShown: boolean };
  /** The API for clients within agents; createApp opens it. Absent: none exists. */
  agentApi?: AgentApi;
  /** Absent: nothing is counted, and GET /metrics is empty. */
  metrics?: HttpMetrics;
  /** Absent: nothing is traced. */
  tracing?: Tracing;
  heartbeatMs?: number;
}

/** The HTTP side of the service, ready for `listen`. */
export interface HttpApp {
  express: Express;
  lifecycle: Lifecycle;
}

/** That of the service. */
export interface ServiceApp extends HttpApp {
  /** Makes the runs of crons, as requests make theirs. */
  fireCron: FireCron;
  /** What is sent of a run that has ended. */
  webhookBody(webhook: Webhook): Promise<string>;
}

/** Builds the HTTP side over its ports. It does not listen yet. */
export function createApp(options: AppOptions): ServiceApp {
  const { logger, version, metrics } = options;
  const policy = options.policy ?? createPermissiveDomain();
  const bodyLimitBytes = options.bodyLimitBytes ?? MIN_BODY_LIMIT;
  const services = createServices({ ...options, policy });
  const lifecycle = createLifecycle();
  const frame = { logger, version, ...(metrics && { metrics }) };
  const app = beginExpress(frame);
  app.use(createHostCheck(options));
  app.use(createCors(options.allowedOrigins ?? []));
  app.use(createServiceTokenCheck(options.serviceToken));

  const reading = {
    readBody: createBodyReader(bodyLimitBytes),
    tracing: options.tracing ?? noTracing,
  };
  const authenticator = options.authenticator ?? createAnonymousAuthenticator();
  const endpoints = createEndpoints({ router: app, authenticator, lifecycle, ...reading });
  serviceRoutes(endpoints, {
    version,
    lifecycle,
    health: options.health,
    info: options.info ?? (() => ({})),
    ...(metrics && { metrics }),
  });
  const streaming = {
    heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
    onFailure: (error: unknown) => logger.warn({ err: error }, 'stream failed'),
  };
  threadRoutes(endpoints, services);
  stateRoutes(endpoints, services);
  runRoutes(endpoints, services);
  logRoutes(endpoints, services);
  const eventStreams = { ...streaming, ...(metrics && { readers: metrics.sseReaders }) };
  streamRoutes(endpoints, services, eventStreams);
  historyRoutes(endpoints, services, eventStreams);
  bundleRoutes(endpoints, services);
  agentRoutes(endpoints, services);
  storeRoutes(endpoints, services);
  policyRoutes(endpoints, services, eventStreams);
  const compatParts = [
    { ...services, known: options.agents },
    { version, checkpointHistory: options.compatCheckpointHistory, ...streaming },
  ] as const;
  compatRoutes(endpoints, ...compatParts);
  protocolRoutes(endpoints, ...compatParts);

  app.use(createSwaggerUi());
  const pages = ['/swagger-ui/'];
  if (options.studioFolder !== undefined) {
    app.use(createStudio(options.studioFolder));
    pages.push('/studio/');
  }

  app.use(
    createMethodCheck([
      ...routes,
      ...compatContracts,
      ...protocolContracts,
      ...pages.map((path) => ({ method: 'get' as const, path })),
    ]),
  );
  if (options.agentApp) {
    const { port, isTokenShown } = options.agentApp;
    app.use(
      createGate(authenticator, lifecycle),
      createAgentApp({ app: port, policy, lifecycle, bodyLimitBytes, isTokenShown }),
    );
  }
  app.use(PROTOCOL_BASE, createProtocolErrors());
  app.use(COMPAT_BASE, createJavaScriptErrors(options.agents), createWrongRequests());
  endExpress(app, logger);

  // A separate app, so that outside requests cannot reach the middleware that admits agents' clients.
  const { agentApi } = options;
  if (agentApi) {
    const { admit, ...letIn } = agentApi.parts;
    const own = beginExpress(frame);
    own.use(admit);
    const ownEndpoints = createEndpoints({ router: own, ...letIn, ...reading });
    compatRoutes(ownEndpoints, ...compatParts);
    own.use(createMethodCheck(compatContracts));
    own.use(COMPAT_BASE, createJavaScriptErrors(options.agents), createWrongRequests());
    endExpress(own, logger);
    agentApi.open(own);
  }
  const [parts] = compatParts;
  const later = { fireCron: cronFiring(...compatParts), webhookBody: webhookBody(parts) };
  return { express: app, lifecycle, ...later };
}
