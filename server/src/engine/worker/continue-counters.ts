import type { Metrics } from '../../observability/metrics.ts';
import type { ThreadWorkerParts } from './thread-worker.ts';

/** The counters of changes of executions. */
export type ContinueMetrics = Pick<
  Metrics,
  | 'canPayloadBudgetExceeded'
  | 'canPendingWritesRetainedBytes'
  | 'canMessagesValuesShed'
  | 'canTotal'
  | 'canPayloadBytes'
  | 'canShed'
>;

/** Counts what threads report when they go on in a new execution, or cannot. */
export function continueCounters(
  metrics: ContinueMetrics,
): Required<Pick<ThreadWorkerParts, 'onContinued' | 'onBudgetExceeded'>> {
  return {
    onContinued({ trigger, shed, bytes, outputsShed, writeBytes }) {
      metrics.canTotal.inc({ trigger });
      metrics.canPayloadBytes.observe({ trigger }, bytes);
      metrics.canPendingWritesRetainedBytes.inc(writeBytes);
      metrics.canMessagesValuesShed.inc(outputsShed);
      if (shed !== 'nothing') metrics.canShed.inc({ shed });
    },
    onBudgetExceeded: () => metrics.canPayloadBudgetExceeded.inc(),
  };
}
