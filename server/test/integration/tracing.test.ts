import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { call } from '../fixtures/call.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import {
  type CollectedSpan,
  startTraceCollector,
  type TraceCollector,
} from '../fixtures/trace-collector.ts';

const agents = fileURLToPath(new URL('../fixtures/cli-agents', import.meta.url));
/** Two seconds for what is left, and an orderly stop on a busy machine; unbounded it would be 30 s. */
const STOP_LIMIT_MS = 20_000;
const SECRET = 'a-secret-of-the-client';

let collector: TraceCollector;
let service: ServiceProcess | undefined;
beforeEach(async () => {
  collector = await startTraceCollector();
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
  await collector.close();
});

async function serve(endpoint: string, more: Record<string, string> = {}): Promise<string> {
  service = await startService({
    agents,
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      ...more,
    },
  });
  return service.url;
}

/** The names from the root of the trace down to the span. */
function pathOf(span: CollectedSpan, spans: CollectedSpan[]): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...(parent === undefined ? [] : pathOf(parent, spans)), span.name];
}

it('makes one trace of a run: request, engine, attempt, guest and node', async () => {
  const url = await serve(collector.url, {
    OTEL_SERVICE_NAME: 'agents-of-the-test',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=blue',
  });
  await call(`${url}/threads`, 'POST', { thread_id: 'traced' });
  const run = await call(
    `${url}/threads/traced/runs?wait=30s`,
    'POST',
    { agent_id: 'nap', input: { ms: 20 }, metadata: { note: SECRET } },
    {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      authorization: `Bearer ${SECRET}`,
    },
  );
  expect(run.body).toMatchObject({ status: 'completed', output: { slept: true } });
  await collector.has('run agent');
  const request = 'POST /threads/{thread_id}/runs';
  await collector.has(request);

  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const spans = collector.spans().filter((span) => span.traceId === traceId);
  const paths = spans.map((span) => pathOf(span, spans).join(' > '));
  expect(paths).toEqual(
    expect.arrayContaining([
      request,
      `${request} > create run`,
      `${request} > create run > update createRun`,
      `${request} > create run > run agent`,
      `${request} > create run > run agent > invoke agent`,
      `${request} > create run > run agent > invoke agent > node sleep`,
    ]),
  );
  expect(spans.find(({ name }) => name === request)).toMatchObject({
    parentSpanId: 'b7ad6b7169203331',
    attributes: {
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      thread_id: 'traced',
    },
    resource: {
      'service.name': 'agents-of-the-test',
      'deployment.environment.name': 'test',
    },
  });
  const { run_id: runId } = run.body as { run_id: string };
  const ids = { thread_id: 'traced', run_id: runId.split('_')[1], agent_id: 'nap' };
  expect(await collector.has('run agent')).toMatchObject({
    attributes: { ...ids, outcome: 'completed' },
  });
  expect(collector.headers()[0]).toMatchObject({ 'x-tenant': 'blue' });
  expect(collector.text()).not.toContain(SECRET);
  expect(service?.output()).toContain(`trace_id=${traceId}`);
});

it('streams nothing to clients that only the trace wanted', async () => {
  const url = await serve(collector.url);
  const answer = await fetch(`${url}/runs/stream`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ agent_id: 'nap', input: { ms: 1 } }),
  });
  const text = await answer.text();
  expect(text).toContain('event: done');
  expect(text).not.toContain('event: tasks');
  await collector.has('node sleep');
});

it('sends what is left when it stops', async () => {
  const url = await serve(collector.url, { OTEL_BSP_SCHEDULE_DELAY: '600000' });
  await call(`${url}/runs/wait`, 'POST', { agent_id: 'nap', input: { ms: 1 } });
  expect(collector.spans()).toEqual([]);
  expect(await service?.stop()).toBe(0);
  expect(collector.spans().map(({ name }) => name)).toEqual(
    expect.arrayContaining(['POST /runs/wait', 'start thread', 'run agent', 'node sleep']),
  );
});

it.each(['is away', 'never answers'])('is not disturbed by a collector that %s', async (what) => {
  const silent = createServer(() => undefined);
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo; // of a TCP listener
  if (what === 'is away') await new Promise((resolve) => silent.close(resolve));
  try {
    const url = await serve(`http://127.0.0.1:${port}`);
    for (let run = 0; run < 5; run += 1) {
      const { body } = await call(`${url}/runs/wait`, 'POST', {
        agent_id: 'nap',
        input: { ms: 1 },
      });
      expect(body).toMatchObject({ status: 'completed' });
    }
    const begin = performance.now();
    expect(await service?.stop()).toBe(0);
    expect(performance.now() - begin).toBeLessThan(STOP_LIMIT_MS);
  } finally {
    silent.closeAllConnections();
    silent.close();
  }
});

it('traces nothing and loads nothing of it unless it is asked to', async () => {
  const url = await serve('', { NODE_DEBUG: 'module' });
  await call(`${url}/runs/wait`, 'POST', { agent_id: 'nap', input: { ms: 1 } });
  expect(service?.output()).not.toContain('opentelemetry/sdk-trace');
});
