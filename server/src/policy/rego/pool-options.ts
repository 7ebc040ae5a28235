import { POLICY_INPUT_BYTES } from '../../model/limits/policy-limits.ts';
import {
  REGO_GROW_MS,
  REGO_MEMORY_BYTES,
  REGO_QUEUE,
  REGO_WAIT_MS,
  REGO_WORKERS,
} from '../../model/limits/rego-limits.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { RegoThread } from './worker-thread.ts';

/** The metrics of the pool. */
export type RegoMetrics = Pick<Metrics, 'policyEvaluation' | 'policyFailures' | 'policyThreads'>;

/** Defaults are in model/limits/rego-limits.ts; tests use smaller limits. */
export interface PoolLimits {
  workers?: number;
  growMs?: number;
  queue?: number;
  waitMs?: number;
  inputBytes?: number;
  memoryBytes?: number;
}

export interface PoolOptions {
  /** Already loaded. */
  first: RegoThread;
  /** Starts another thread; resolves when it is loaded. */
  start(): Promise<RegoThread>;
  metrics?: RegoMetrics;
  /** Reports why a thread ended without being closed, or could not be started. */
  onLost(reason: string): void;
  limits?: PoolLimits;
}

/** The defaults from model/limits/rego-limits.ts. */
export const usualLimits: Required<PoolLimits> = {
  workers: REGO_WORKERS,
  growMs: REGO_GROW_MS,
  queue: REGO_QUEUE,
  waitMs: REGO_WAIT_MS,
  inputBytes: POLICY_INPUT_BYTES,
  memoryBytes: REGO_MEMORY_BYTES,
};
