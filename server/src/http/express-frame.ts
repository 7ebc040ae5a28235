import express from 'express';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { ServiceError } from '../errors/service-error.ts';
import { createErrorHandler } from './response/error-handler.ts';
import { createRequestContext } from './request/request-context.ts';

/** An express app whose requests have their context; routes follow. */
export function beginExpress(about: Parameters<typeof createRequestContext>[0]): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('case sensitive routing', true);
  app.set('query parser', 'simple');
  app.use(createRequestContext(about));
  return app;
}

/** Puts behind everything what is sent when nothing responds, or something fails. */
export function endExpress(app: Express, logger: Logger): void {
  app.use((_req, _res, next) =>
    next(new ServiceError('route_not_found', 'There is no such route.')),
  );
  app.use(createErrorHandler(logger));
}
