// Specification, chapter "What the service does", and "Health and docs".
import { describe, expect, it } from 'vitest';
import { specService } from '../fixtures/spec-service.ts';
import { aFailure } from '../fixtures/wire-patterns.ts';

const service = specService();

describe('health and docs', () => {
  it('responds to GET /health', async () => {
    const response = await service.get('/health');
    expect([response.status, response.body]).toMatchObject([
      200,
      { status: 'ok', components: { engine: { status: 'ok' }, guest: { status: 'ok' } } },
    ]);
  });

  it('responds to the probes and /info', async () => {
    for (const path of ['/ready', '/live', '/info']) {
      expect([path, (await service.get(path)).status]).toEqual([path, 200]);
    }
  });

  it('serves an OpenAPI 3.1 document with every endpoint of the service', async () => {
    const { status, body } = await service.get('/openapi.json');
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: '3.1.0', info: { title: 'Agent Runtime' } });
    const { paths } = body as { paths: Record<string, object> };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations).toEqual(
      expect.arrayContaining([
        'GET /health',
        'GET /openapi.json',
        'POST /threads',
        'GET /threads/{thread_id}',
        'PATCH /threads/{thread_id}',
        'DELETE /threads/{thread_id}',
        'POST /threads/{thread_id}/runs',
        'GET /threads/{thread_id}/runs',
        'GET /threads/{thread_id}/runs/{run_id}',
        'GET /threads/{thread_id}/runs/{run_id}/stream',
        'POST /threads/{thread_id}/runs/{run_id}/cancel',
        'POST /runs',
        'POST /runs/wait',
        'POST /runs/stream',
        'GET /runs/{run_id}',
        'GET /runs/{run_id}/wait',
        'GET /runs/{run_id}/stream',
        'POST /runs/{run_id}/cancel',
        'DELETE /runs/{run_id}',
        'GET /threads/{thread_id}/state',
        'GET /threads/{thread_id}/history',
        'GET /agents',
        'GET /agents/{name}',
      ]),
    );
  });

  it('returns its version and gives every request an id', async () => {
    const { headers } = await service.get('/live');
    expect(headers.get('x-service-version')).toMatch(/^\d+\.\d+\.\d+/);
    expect(headers.get('x-request-id')).toMatch(/\S/);
  });

  it('responds to an unknown route with 404', async () => {
    const response = await service.get('/nowhere');
    expect([response.status, response.body]).toEqual([404, aFailure('route_not_found')]);
  });
});
