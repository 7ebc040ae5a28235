import { CRON_BYTES, MAX_CRONS } from '../model/limits/cron-limits.ts';

/** How much is kept. */
export interface CronLimits {
  maxCrons: number;
  /** Of the run and the metadata of one cron, as JSON. */
  maxBytes: number;
}

export const defaultLimits: CronLimits = { maxCrons: MAX_CRONS, maxBytes: CRON_BYTES };
