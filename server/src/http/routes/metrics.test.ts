import pino from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import { exchange, statusesIn } from '../../../test/fixtures/raw-http.ts';
import { createMetrics } from '../../observability/metrics.ts';
import type { HostRules } from '../request/host-check.ts';
import { createMetricsApp } from '../server/metrics-app.ts';
import { listen } from '../server/server.ts';

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
  const response = await fetch(`${service.url}/metrics`);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  expect(text).toContain(
    'service_http_requests_total{method="GET",route="/threads/{thread_id}",status="404"} 2',
  );
  expect(text).toContain('service_http_requests_total{method="GET",route="other",status="404"} 1');
  expect(text).toContain('service_http_request_duration_seconds_count');
});

describe('a listener of their own', () => {
  const shown = { metrics, logger: pino({ enabled: false }), version: '0' };

  async function shows(host: string, rules: Omit<HostRules, 'listenHost'> = {}, path = '/metrics') {
    const app = createMetricsApp(shown, { listenHost: '127.0.0.1', ...rules });
    const listener = await listen({ app, host: '127.0.0.1', port: 0 });
    const lines = `Host: ${host}\r\nConnection: close`;
    const text = await exchange(listener.url, `GET ${path} HTTP/1.1\r\n${lines}\r\n\r\n`);
    await listener.close({ drainMs: 0 });
    return [statusesIn(text)[0], text.includes('service_build_info')];
  }

  test('shows metrics and nothing else', async () => {
    expect(await shows('localhost')).toEqual([200, true]);
    expect(await shows('localhost', {}, '/threads')).toEqual([404, false]);
  });

  test('is not read by a page whose name was rebound', async () => {
    expect(await shows('evil.example')).toEqual([421, false]);
    expect(await shows('scraped.example', { allowedHosts: ['scraped.example'] })).toEqual([
      200,
      true,
    ]);
  });
});
