import { expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../../observability/metrics.ts';
import type { ContinueReport } from '../../workflows/messages.ts';
import { continueCounters } from './thread-ports.ts';

it('grow by what threads report of their next executions', async () => {
  const metrics = createMetrics({ version: '0' });
  onTestFinished(() => metrics.close());
  const { onContinued, onBudgetExceeded } = continueCounters(metrics);
  const report: ContinueReport = {
    threadId: 't',
    trigger: 'idle',
    shed: 'outputs',
    bytes: 5_000,
    outputsShed: 2,
    writeBytes: 300,
  };
  onContinued(report);
  onContinued({ ...report, trigger: 'active', shed: 'nothing', outputsShed: 0, writeBytes: 50 });
  onBudgetExceeded();
  const text = await metrics.text();
  const lines = text.split('\n').filter((line) => /^service_can_(?!payload_bytes)/.test(line));
  expect(lines).toEqual([
    'service_can_payload_budget_exceeded_total 1',
    'service_can_pending_writes_retained_bytes_total 350',
    'service_can_messages_values_shed_total 2',
    'service_can_total{trigger="idle"} 1',
    'service_can_total{trigger="active"} 1',
    'service_can_shed_total{shed="outputs"} 1',
  ]);
});
