import express from 'express';
import type { Metrics } from '../observability/metrics.ts';
import type { HttpApp } from './app.ts';
import { createLifecycle } from './lifecycle.ts';
import { listen, type HttpListener } from './server.ts';

/** GET /metrics and nothing else, for a listener of its own: without credentials (decisions: "/metrics"). */
export function createMetricsApp(metrics: Pick<Metrics, 'text' | 'contentType'>): HttpApp {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.get('/metrics', async (_req, res) => {
    res.setHeader('Content-Type', metrics.contentType);
    res.end(await metrics.text());
  });
  return { express: app, lifecycle: createLifecycle() };
}

/** The listener that serves nothing else; undefined where no address is set for one. */
export async function listenForMetrics(
  address: { readonly host?: string; readonly port: number } | undefined,
  metrics: Metrics,
): Promise<HttpListener | undefined> {
  if (!address) return undefined;
  const { host = '', port } = address;
  return listen({ app: createMetricsApp(metrics), host, port, setting: 'metrics.listen_addr' });
}
