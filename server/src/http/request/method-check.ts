import { Router } from 'express';
import type { RouteContract } from '../../contract/route.ts';
import { ServiceError } from '../../errors/service-error.ts';

/** Answers known paths with other methods: OPTIONS with `Allow`, everything else with 405 and `Allow`. */
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
