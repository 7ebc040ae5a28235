import express, { type Express, Router } from 'express';
import type { Logger } from 'pino';
import { ServiceError } from '../errors/service-error.ts';
import { createErrorHandler } from './response/error-handler.ts';
import { createRequestContext } from './request/request-context.ts';
import type { RouteContract } from '../contract/route.ts';

/** An express app whose requests have their context; the caller adds routes. */
export function beginExpress(about: Parameters<typeof createRequestContext>[0]): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('case sensitive routing', true);
  app.set('query parser', 'simple');
  app.use(createRequestContext(about));
  return app;
}

/** Adds the last handlers: one for unknown routes, one for errors. */
export function endExpress(app: Express, logger: Logger): void {
  app.use((_req, _res, next) =>
    next(new ServiceError('route_not_found', 'There is no such route.')),
  );
  app.use(createErrorHandler(logger));
}

/** Responds to known paths with other methods: to OPTIONS with `Allow`, to everything else with 405 and `Allow`. */
export function createMethodCheck(
  routes: readonly Pick<RouteContract, 'path' | 'method'>[],
): Router {
  const router = Router({ caseSensitive: true });
  const methodsOfPath = new Map<string, string[]>();
  for (const { path, method } of routes) {
    const methods = methodsOfPath.get(path) ?? [];
    methods.push(...(method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
    methodsOfPath.set(path, methods);
  }
  for (const [path, methods] of methodsOfPath) {
    const allow = methods.join(', ');
    router.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), (req, res) => {
      res.setHeader('Allow', allow);
      if (req.method === 'OPTIONS') {
        res.statusCode = 204;
        res.end();
        return;
      }
      throw new ServiceError('method_not_allowed', `The route takes ${allow} only.`);
    });
  }
  return router;
}
