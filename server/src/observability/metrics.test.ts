import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

/** Spec: Events, Metrics. */
const specified = [
  'service_size_limit_rejections_total',
  'service_can_payload_budget_exceeded_total',
  'service_can_pending_writes_retained_bytes_total',
  'service_can_messages_values_shed_total',
  'service_query_payload_limit_exceeded_total',
  'service_checkpoint_storage_payload_bytes',
];

test('names every metric of the specification from the start', async () => {
  const metrics = createMetrics({ version: '1.2.3' });
  const text = await metrics.text();
  for (const name of specified) expect(text).toContain(`# TYPE ${name} `);
  expect(text).toContain('service_build_info{version="1.2.3"} 1');
  metrics.close();
});

test('counts by tag, in its own registry', async () => {
  const [one, other] = [createMetrics({ version: '1' }), createMetrics({ version: '1' })];
  one.sizeLimitRejections.inc({ limit: 'checkpoint', operation: 'save_checkpoint' });
  one.checkpointStoragePayloadBytes.observe({ operation: 'put' }, 70_000);
  const text = await one.text();
  expect(text).toContain(
    'service_size_limit_rejections_total{limit="checkpoint",operation="save_checkpoint"} 1',
  );
  expect(text).toContain('service_checkpoint_storage_payload_bytes_sum{operation="put"} 70000');
  expect(await other.text()).not.toContain('limit="checkpoint"');
  one.close();
  other.close();
});

test('reads the current gauges when asked', async () => {
  const metrics = createMetrics({ version: '1' });
  let activeRuns = 2;
  metrics.readFrom({
    activeRuns: () => activeRuns,
    streamLogBytes: () => 300,
    guests: {
      counts: () => [{ language: 'python', state: 'ready', count: 1 }],
      usage: () => [{ language: 'python', memoryBytes: 5_000, cpuSeconds: 1.5 }],
      stuck: new Map([['python', 2]]),
      outputDropped: new Map([['python', 7]]),
    },
  });
  expect(await metrics.text()).toContain('service_runs_active 2');
  activeRuns = 0;
  const text = await metrics.text();
  expect(text).toContain('service_runs_active 0');
  expect(text).toContain('service_guests{language="python",state="ready"} 1');
  expect(text).toContain('service_guest_memory_bytes{language="python"} 5000');
  expect(text).toContain('service_guest_cpu_seconds{language="python"} 1.5');
  expect(text).toContain('# TYPE service_guests_stuck_total counter');
  expect(text).toContain('service_guests_stuck_total{language="python"} 2');
  expect(text).toContain('service_guest_output_dropped_bytes_total{language="python"} 7');
  metrics.close();
});
