import { afterEach, expect, test } from 'vitest';
import { startHttpService, type HttpService } from '../../test/fixtures/http-service.ts';
import { createMetrics } from '../observability/metrics.ts';
import { createMetricsApp } from './metrics-app.ts';
import { listen } from './server.ts';

const metrics = createMetrics({ version: '0' });
let service: HttpService | undefined;

afterEach(async () => {
  await service?.close();
  service = undefined;
});

test('requests are counted by the template of their route', async () => {
  service = await startHttpService({ metrics });
  await fetch(`${service.url}/threads/nowhere`);
  await fetch(`${service.url}/threads/elsewhere`);
  await fetch(`${service.url}/no-such-route`);
  const answer = await fetch(`${service.url}/metrics`);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await answer.text();
  expect(text).toContain(
    'service_http_requests_total{method="GET",route="/threads/{thread_id}",status="404"} 2',
  );
  expect(text).toContain('service_http_requests_total{method="GET",route="other",status="404"} 1');
  expect(text).toContain('service_http_request_duration_seconds_count');
});

test('a listener of their own shows metrics and nothing else', async () => {
  const listener = await listen({ app: createMetricsApp(metrics), host: '127.0.0.1', port: 0 });
  const answer = await fetch(`${listener.url}/metrics`);
  expect([answer.status, (await answer.text()).includes('service_build_info')]).toEqual([
    200,
    true,
  ]);
  expect((await fetch(`${listener.url}/threads`)).status).toBe(404);
  await listener.close({ drainMs: 0 });
});
