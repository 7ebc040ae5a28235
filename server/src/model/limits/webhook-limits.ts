/** The limits of webhooks. */
import { constant, type LimitRow } from './limit-row.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Webhooks that are not delivered, of one service. */
export const MAX_WEBHOOKS = 10_000;

/** Characters of a webhook's URL. */
export const WEBHOOK_URL_LENGTH = 2_048;

/** Looking the name up, connecting, sending, and the response. */
export const WEBHOOK_TRY_MS = 15 * SECOND;

/** Between the tries. One more than these is made. */
export const WEBHOOK_DELAYS_MS: readonly number[] = [
  ...[5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE],
  ...[HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR],
];

/** From the first try on; a service that was down meanwhile makes fewer. */
export const WEBHOOK_TOTAL_MS = 24 * HOUR;

/** Read of a response, whose content means nothing here. */
export const WEBHOOK_RESPONSE_BYTES = 64 * 1_024;

/** Tried at once. */
export const WEBHOOKS_AT_ONCE = 10;

/** Its row is written before a run is made: one that is not there by then never came to be. */
export const WEBHOOK_GRACE_MS = 10 * MINUTE;

/** How long a process has a webhook for itself; one that was killed leaves it to others then. */
export const WEBHOOK_LEASE_MS = MINUTE;

/** The rows of docs/limits.md. */
export const webhookLimitRows = {
  webhooks: constant(MAX_WEBHOOKS, {
    what: 'webhooks of one service that are not delivered, also of runs that go on',
    unit: 'rows',
    where: 'host',
    outcome: '503 `too_many_webhooks`',
  }),
  webhookUrl: constant(WEBHOOK_URL_LENGTH, {
    what: 'the URL of a webhook',
    unit: 'characters',
    where: 'host',
    outcome: '400 `invalid_request`',
  }),
  webhookTry: constant(WEBHOOK_TRY_MS, {
    what: 'time of one try, from looking the name up to the status of the response',
    unit: 'ms',
    where: 'host',
    outcome: 'it has failed, and is made again',
  }),
  webhookTries: constant(WEBHOOK_DELAYS_MS.length + 1, {
    what: 'tries of one webhook, after 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, 4 h, 8 h',
    unit: 'requests',
    where: 'host',
    outcome: 'it is given up; `service_webhook_tries_total`, `given_up`',
  }),
  webhookTotal: constant(WEBHOOK_TOTAL_MS, {
    what: 'time in which it is tried',
    unit: 'ms',
    where: 'host',
    outcome: 'likewise',
  }),
  webhookResponse: constant(WEBHOOK_RESPONSE_BYTES, {
    what: 'content that is read of a response to a webhook',
    unit: 'bytes',
    where: 'host',
    outcome: 'the connection is closed; the status counts',
  }),
  webhooksAtOnce: constant(WEBHOOKS_AT_ONCE, {
    what: 'webhooks that are tried at once',
    unit: 'requests',
    where: 'host',
    outcome: 'the next one waits',
  }),
  webhookGrace: constant(WEBHOOK_GRACE_MS, {
    what: 'how long the webhook of a run is kept that is not there: it was refused, or its process died',
    unit: 'ms',
    where: 'host',
    outcome: 'it is dropped',
  }),
} satisfies Record<string, LimitRow>;
