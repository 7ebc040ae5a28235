import { readFileSync } from 'node:fs';
import type { Response } from 'express';
import * as contract from '../../contract/service-routes.ts';
import type { ComponentWire, HealthWire } from '../../contract/service-routes.ts';
import { jsonText } from '../../model/json.ts';
import type { HttpMetrics } from '../../observability/metrics.ts';
import type { Endpoints } from '../endpoint.ts';
import { spliced } from '../response/json-writer.ts';
import type { Lifecycle } from '../server/lifecycle.ts';
import { contextOf } from '../request/request-context.ts';

/** The state of the components: engine, disk, guest, store. */
export type HealthCheck = () => Promise<Record<string, ComponentWire>>;

/** Health, probes, versions and the OpenAPI document (spec: Health and docs). */
export function serviceRoutes(
  endpoints: Endpoints,
  service: {
    version: string;
    health: HealthCheck;
    info: () => Record<string, unknown>;
    lifecycle: Lifecycle;
    metrics?: Pick<HttpMetrics, 'text' | 'contentType'>;
  },
): void {
  const document = jsonText(
    readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8').trim(),
  );

  /** A component's report may quote an agent or name a folder, so it is left out for foreign Host names. */
  async function health(res: Response): Promise<HealthWire> {
    const components = await service.health();
    const isFailing = Object.values(components).some(({ status }) => status === 'failing');
    return {
      status: isFailing ? 'failing' : 'ok',
      version: service.version,
      components: contextOf(res).isHostForeign === true ? {} : components,
    };
  }

  endpoints.on(contract.getHealth, async ({ res }) => {
    const body = await health(res);
    return { status: body.status === 'ok' ? 200 : 503, body };
  });

  endpoints.on(contract.getReady, async ({ res }) => {
    const body = await health(res);
    const isReady = body.status === 'ok' && !service.lifecycle.isDraining;
    return { status: isReady ? 200 : 503, body: { ...body, status: isReady ? 'ok' : 'failing' } };
  });

  endpoints.on(contract.getLive, () => ({ status: 200, body: { status: 'ok' } }));

  endpoints.on(contract.getInfo, () => ({
    status: 200,
    body: { ...service.info(), version: service.version },
  }));

  endpoints.on(contract.getOpenApi, () => ({ status: 200, body: spliced(document) }));

  endpoints.on(contract.getMetrics, async ({ res }) => {
    const text = (await service.metrics?.text()) ?? '';
    res.setHeader('Content-Type', service.metrics?.contentType ?? 'text/plain; charset=utf-8');
    res.end(text);
    return undefined;
  });
}
