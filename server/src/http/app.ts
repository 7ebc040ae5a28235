import express from 'express';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { createAnonymousAuthenticator } from '../auth/anonymous.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import { routes } from '../contract/routes.ts';
import type { EnginePort } from '../engine/port.ts';
import { ServiceError } from '../errors/service-error.ts';
import { createPermissiveDomain } from '../policy/permissive-domain.ts';
import type { PolicyPort } from '../policy/port.ts';
import type { StreamPort } from '../streams/port.ts';
import { createAgentService } from '../threads/agent-service.ts';
import type { AgentsPort } from '../threads/agents-port.ts';
import { createRunFollower } from '../threads/run-follower.ts';
import { createRunService } from '../threads/run-service.ts';
import { createStateService } from '../threads/state-service.ts';
import { createThreadService } from '../threads/thread-service.ts';
import { createEndpoints } from './endpoint.ts';
import { createErrorHandler } from './error-handler.ts';
import { createHostCheck } from './host-check.ts';
import { createBodyReader } from './json-body.ts';
import type { Lifecycle } from './lifecycle.ts';
import { createLifecycle } from './lifecycle.ts';
import { createMethodCheck } from './method-check.ts';
import { createRequestContext } from './request-context.ts';
import { agentRoutes } from './routes/agent-routes.ts';
import { runRoutes } from './routes/run-routes.ts';
import type { HealthCheck } from './routes/service-routes.ts';
import { serviceRoutes } from './routes/service-routes.ts';
import { streamRoutes } from './routes/stream-routes.ts';
import { threadRoutes } from './routes/thread-routes.ts';
import { HEARTBEAT_MS } from './sse.ts';

/** Decisions: "body too large". Twice the largest checkpoint, but at least this. */
export const MIN_BODY_LIMIT = 8 * 1024 * 1024;

export interface AppOptions {
  engine: EnginePort;
  agents: AgentsPort;
  streams: StreamPort;
  logger: Logger;
  version: string;
  /** The host the listener binds: on a loopback one the Host header is checked. */
  listenHost: string;
  health: HealthCheck;
  /** What GET /info tells beside the version. */
  info?: () => Record<string, unknown>;
  /** Default: the built-in permissive domain. */
  policy?: PolicyPort;
  /** Default: everybody is anonymous. */
  authenticator?: Authenticator;
  bodyLimitBytes?: number;
  heartbeatMs?: number;
}

/** The HTTP side of the service, ready for `listen`. */
export interface HttpApp {
  express: Express;
  lifecycle: Lifecycle;
}

/** Builds the HTTP side over its ports. Nothing listens yet. */
export function createApp(options: AppOptions): HttpApp {
  const { engine, agents, streams, logger, version } = options;
  const policy = options.policy ?? createPermissiveDomain();
  const lifecycle = createLifecycle();
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('case sensitive routing', true);
  app.set('query parser', 'simple');

  app.use(createRequestContext({ logger, version }));
  app.use(createHostCheck(options.listenHost));

  const endpoints = createEndpoints({
    router: app,
    authenticator: options.authenticator ?? createAnonymousAuthenticator(),
    readBody: createBodyReader(options.bodyLimitBytes ?? MIN_BODY_LIMIT),
    lifecycle,
  });
  const runs = createRunService({ engine, policy, agents, streams });
  serviceRoutes(endpoints, {
    version,
    lifecycle,
    health: options.health,
    info: options.info ?? (() => ({})),
  });
  threadRoutes(endpoints, {
    threads: createThreadService({ engine, policy }),
    states: createStateService({ engine, policy }),
  });
  runRoutes(endpoints, { runs });
  streamRoutes(
    endpoints,
    { runs, follower: createRunFollower({ engine, policy, streams }) },
    {
      heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
      onFailure: (error) => logger.warn({ err: error }, 'stream failed'),
    },
  );
  agentRoutes(endpoints, { agents: createAgentService({ agents, policy }) });

  app.use(createMethodCheck(routes));
  app.use((_req, _res, next) => next(new ServiceError('route_not_found', 'There is no such route.')));
  app.use(createErrorHandler(logger));
  return { express: app, lifecycle };
}
