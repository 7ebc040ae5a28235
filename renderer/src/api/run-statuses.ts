import type { RunStatus } from './generated/types.gen.ts';

/** In the order of a run's life. */
export const runStatuses = [
  'running',
  'completed',
  'interrupted',
  'error',
  'cancelling',
  'cancelled',
] as const satisfies readonly RunStatus[];
