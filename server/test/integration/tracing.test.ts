/** A trace as a collector gets it. A separate service, because the receiver of traces is a setting. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fileURLToPath } from 'node:url';
import { call } from '../fixtures/call.ts';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { readSse } from '../fixtures/read-sse.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import {
  type CollectedSpan,
  startTraceCollector,
  type TraceCollector,
} from '../fixtures/trace-collector.ts';

const agents = fileURLToPath(new URL('../fixtures/cli-agents', import.meta.url));
const SECRET = 'a-secret-of-the-client';

let collector: TraceCollector;
let service: ServiceProcess;
beforeAll(async () => {
  collector = await startTraceCollector();
  service = await startService({
    agents,
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      // So nothing is sent before the service stops.
      OTEL_BSP_SCHEDULE_DELAY: '3600000',
      OTEL_SERVICE_NAME: 'agents-of-the-test',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=blue',
    },
  });
  await whenHealthy(service.url);
});
afterAll(async () => {
  await service.stop();
  await collector.close();
});

/** The names from the root of the trace down to the span. */
function pathOf(span: CollectedSpan, spans: CollectedSpan[]): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...(parent === undefined ? [] : pathOf(parent, spans)), span.name];
}

it('makes one trace of a run, request, engine, attempt, guest and node, and has sent it when it ends', async () => {
  const { url } = service;
  await call(`${url}/threads`, 'POST', { thread_id: 'traced' });
  const run = await call(
    `${url}/threads/traced/runs?wait=90s`,
    'POST',
    { agent_id: 'nap', input: { ms: 20 }, metadata: { note: SECRET } },
    {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      authorization: `Bearer ${SECRET}`,
    },
  );
  expect(run.body).toMatchObject({ status: 'completed', output: { slept: true } });

  // What only the trace wanted, clients do not get.
  const { events } = await readSse(`${url}/runs/stream`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ agent_id: 'nap', input: { ms: 1 } }),
  });
  const names = events.map(({ event }) => event);
  expect([names.at(-1), names.includes('tasks')]).toEqual(['done', false]);

  expect(collector.spans()).toEqual([]);
  expect(await service.stop()).toBe(0);

  expect(collector.spans().map(({ name }) => name)).toEqual(
    expect.arrayContaining(['POST /runs/stream', 'start thread']),
  );
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const spans = collector.spans().filter((span) => span.traceId === traceId);
  const paths = spans.map((span) => pathOf(span, spans).join(' > '));
  const request = 'POST /threads/{thread_id}/runs';
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
  expect(spans.find(({ name }) => name === 'run agent')).toMatchObject({
    attributes: {
      thread_id: 'traced',
      run_id: runId.split('_')[1],
      agent_id: 'nap',
      outcome: 'completed',
    },
  });
  expect(collector.headers()[0]).toMatchObject({ 'x-tenant': 'blue' });
  expect(collector.text()).not.toContain(SECRET);
  expect(service.output()).toContain(`trace_id=${traceId}`);
});
