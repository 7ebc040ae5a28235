import { z } from 'zod';
import { asksNothing } from './permissions.ts';
import { defineRoute } from './route.ts';

export const component = z
  .object({
    status: z.enum(['ok', 'failing', 'off']),
    message: z.exactOptional(z.string()),
  })
  .meta({ id: 'Component' });

export const health = z
  .object({
    status: z.enum(['ok', 'failing']),
    version: z.string(),
    components: z.record(z.string(), component).meta({ description: 'engine, disk, guest, store' }),
  })
  .meta({ id: 'Health' });

export const live = z.object({ status: z.literal('ok') }).meta({ id: 'Live' });
export const info = z.looseObject({ version: z.string() }).meta({ id: 'Info' });

export type ComponentWire = z.infer<typeof component>;
export type HealthWire = z.infer<typeof health>;

export const getHealth = defineRoute({
  method: 'get',
  path: '/health',
  operationId: 'getHealth',
  tag: 'service',
  asks: asksNothing,
  summary: 'Health check',
  description:
    '200 while every component works, 503 with the failing component otherwise. Probes are served under every Host; `components` is empty under one that is not of the service.',
  responses: {
    200: { description: 'Everything works.', schema: health },
    503: { description: 'A component is failing.', schema: health },
  },
  errors: [],
  isPublic: true,
});

export const getReady = defineRoute({
  method: 'get',
  path: '/ready',
  operationId: 'getReady',
  tag: 'service',
  asks: asksNothing,
  summary: 'Readiness probe',
  description: 'Extension. As /health, and 503 as well while the service is stopping.',
  responses: {
    200: { description: 'Requests are welcome.', schema: health },
    503: { description: 'A component is failing, or the service is stopping.', schema: health },
  },
  errors: [],
  isPublic: true,
});

export const getLive = defineRoute({
  method: 'get',
  path: '/live',
  operationId: 'getLive',
  tag: 'service',
  asks: asksNothing,
  summary: 'Liveness probe',
  description: 'Extension. 200 as long as the process responds.',
  responses: { 200: { description: 'The process responds.', schema: live } },
  errors: [],
  isPublic: true,
});

export const getInfo = defineRoute({
  method: 'get',
  path: '/info',
  operationId: 'getInfo',
  tag: 'service',
  asks: asksNothing,
  summary: 'Versions and flags',
  description: 'Extension. What this service is and how it is set up.',
  responses: { 200: { description: 'About the service.', schema: info } },
  errors: [],
  isPublic: true,
});

export const getOpenApi = defineRoute({
  method: 'get',
  path: '/openapi.json',
  operationId: 'getOpenApi',
  tag: 'service',
  asks: asksNothing,
  summary: 'This document',
  description: 'The OpenAPI description of the service.',
  responses: { 200: { description: 'An OpenAPI 3.1 document.', mediaType: 'application/json' } },
  errors: [],
  isPublic: true,
});

export const getMetrics = defineRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'getMetrics',
  tag: 'service',
  asks: asksNothing,
  summary: 'Metrics',
  description:
    'Counters, gauges and histograms in the text format of Prometheus. Asks for credentials when authentication is on; `metrics.listen_addr` gives them a listener of their own, without.',
  responses: { 200: { description: 'Prometheus text.', mediaType: 'text/plain' } },
  errors: [],
});
