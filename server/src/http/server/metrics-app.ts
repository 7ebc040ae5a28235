import type { Logger } from 'pino';
import type { Metrics } from '../../observability/metrics.ts';
import type { HttpApp } from '../app.ts';
import { beginExpress, createMethodCheck, endExpress } from '../express-frame.ts';
import { createHostCheck, type HostRules } from '../request/host-check.ts';
import { createLifecycle } from './lifecycle.ts';
import { type HttpListener, listen } from './server.ts';

/** The metrics that the app serves, and what its responses and log lines carry. */
interface Shown {
  metrics: Pick<Metrics, 'text' | 'contentType'>;
  logger: Logger;
  version: string;
}

/**
 * Serves only GET /metrics, on its own listener. It needs no credentials (decisions: "/metrics"), so the Host check
 * must keep out pages that use DNS rebinding.
 */
export function createMetricsApp({ metrics, logger, version }: Shown, rules: HostRules): HttpApp {
  const app = beginExpress({ logger, version });
  app.use(createHostCheck(rules));
  app.get('/metrics', async (_req, res) => {
    res.setHeader('Content-Type', metrics.contentType);
    res.end(await metrics.text());
  });
  app.use(createMethodCheck([{ method: 'get', path: '/metrics' }]));
  endExpress(app, logger);
  return { express: app, lifecycle: createLifecycle() };
}

/** The listener that serves only metrics; undefined when no address is configured for it. */
export async function listenForMetrics(
  config: {
    readonly metrics: {
      readonly listenAddress?: { readonly host?: string; readonly port: number };
    };
    readonly api: Pick<HostRules, 'allowedHosts'>;
  },
  shown: Shown,
): Promise<HttpListener | undefined> {
  const { listenAddress: address } = config.metrics;
  if (!address) return undefined;
  const { host = '', port } = address;
  const { allowedHosts = [] } = config.api;
  const app = createMetricsApp(shown, { listenHost: host, allowedHosts });
  return listen({ app, host, port, setting: 'metrics.listen_addr' });
}
