/** The limits of crons. */
import { constant, type LimitRow } from './limit-row.ts';

/** Crons of one service. */
export const MAX_CRONS = 1_000;

/** A cron's run and its metadata, as JSON. */
export const CRON_BYTES = 64 * 1_024;

/** Crons whose runs are made at once; after a long stop all may be due. */
export const CRONS_AT_ONCE = 10;

/** How long the scheduler sleeps at most: the clock may be set meanwhile, and another service add a cron. */
export const CRON_SLEEP_MS = 60_000;

/** The rows of docs/limits.md. */
export const cronLimitRows = {
  crons: constant(MAX_CRONS, {
    what: 'crons of one service',
    unit: 'rows',
    where: 'host',
    outcome: '409 `too_many_crons`',
  }),
  cronBytes: constant(CRON_BYTES, {
    what: 'the run of one cron with its metadata, as JSON',
    unit: 'bytes',
    where: 'host',
    outcome: '413 `payload_too_large`',
  }),
  cronsAtOnce: constant(CRONS_AT_ONCE, {
    what: 'crons whose runs are made at once',
    unit: 'runs',
    where: 'host',
    outcome: 'the next one waits',
  }),
  cronSleep: constant(CRON_SLEEP_MS, {
    what: 'how long the service may notice late that another one has added a cron',
    unit: 'ms',
    where: 'host',
    outcome: 'what is due meanwhile begins then',
  }),
} satisfies Record<string, LimitRow>;
