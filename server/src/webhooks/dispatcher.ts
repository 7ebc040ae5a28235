import { isServiceError, reasonOf } from '../errors/service-error.ts';
import { compositeRunId, type RunId } from '../model/ids.ts';
import {
  WEBHOOK_DELAYS_MS,
  WEBHOOK_GRACE_MS,
  WEBHOOK_LEASE_MS,
  WEBHOOK_TOTAL_MS,
  WEBHOOKS_AT_ONCE,
} from '../model/limits/webhook-limits.ts';
import type { NewWebhook, OutboxPort, SenderPort, Webhook } from './port.ts';

/** What became of a look at a webhook. */
export type TryOutcome = 'delivered' | 'failed' | 'given_up' | 'dropped';

export interface DispatcherParts {
  outbox: OutboxPort;
  sender: SenderPort;
  /** Whether the run has ended. `run_not_found`, `thread_not_found` */
  hasEnded(webhook: Webhook): Promise<boolean>;
  /** What is sent of a run that has ended, asked for as its principal. */
  bodyOf(webhook: Webhook): Promise<string>;
  tries: { inc(labels: { outcome: TryOutcome }): void };
  logger: { warn(data: object, message: string): void };
}

/** What another process adds is noticed then, at the latest. */
const SLEEP_MS = 60_000;

/** A run that goes on is looked at again after a part of its age: its end is seldom missed. */
const LONGEST_LOOK_MS = 5 * 60_000;
const SHORTEST_LOOK_MS = 5_000;

/** Sends webhooks when their runs have ended, again and again until they are taken. */
export class WebhookDispatcher {
  readonly #parts: DispatcherParts;
  /** Runs of this process whose end makes their webhook due. */
  readonly #open = new Map<RunId, NewWebhook>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isWoken = false;
  readonly #closing = new AbortController();

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    parts.outbox.onAdd((webhook) => {
      this.#open.set(runIdOf(webhook), webhook);
      this.wake();
    });
  }

  /** Takes up what an earlier process has left. */
  async start(): Promise<void> {
    const { outbox, logger } = this.#parts;
    if (!outbox.mayHaveSome()) return;
    const failed = (err: unknown): void => logger.warn({ err }, 'webhooks could not be looked at');
    await outbox.recover().catch(failed);
    this.wake();
  }

  /** A run has ended here. */
  settled(runId: RunId): void {
    const webhook = this.#open.get(runId);
    if (!webhook || this.#isClosed) return;
    this.#open.delete(runId);
    // Otherwise it is looked at in its turn.
    const hastened = this.#parts.outbox.hasten(webhook.threadId, webhook.runUuid);
    hastened.then(
      () => this.wake(),
      () => undefined,
    );
  }

  wake(): void {
    this.#isWoken = true;
    if (this.#isClosed) return;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      if (this.#isWoken) this.wake();
    });
  }

  /** Cuts off what is being sent. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#looking;
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #look(): Promise<void> {
    const { outbox, logger } = this.#parts;
    clearTimeout(this.#timer);
    let sleepMs = SLEEP_MS;
    try {
      while (this.#isWoken && !this.#isClosed) {
        this.#isWoken = false;
        for (;;) {
          const now = Date.now();
          const taken = await outbox.take(now, now + WEBHOOK_LEASE_MS, WEBHOOKS_AT_ONCE);
          await Promise.all(taken.map((one) => this.#handle(one)));
          if (taken.length === 0 || this.#isClosed) break;
        }
        const next = (await outbox.nextDue()) ?? Infinity;
        sleepMs = Math.min(SLEEP_MS, Math.max(0, next - Date.now()));
      }
    } catch (error) {
      logger.warn({ err: error }, 'webhooks could not be looked at');
    }
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.wake(), sleepMs);
    this.#timer.unref();
  }

  async #handle(webhook: Webhook): Promise<void> {
    const { outbox, sender, hasEnded, bodyOf, tries } = this.#parts;
    let body: string;
    try {
      if (!(await hasEnded(webhook))) return await this.#lookLater(webhook);
      body = await bodyOf(webhook);
    } catch (error) {
      return this.#cannotRead(webhook, error);
    }
    const outcome = await sender.send(webhook, body, this.#closing.signal);
    if (outcome.kind === 'delivered') {
      tries.inc({ outcome: 'delivered' });
      return outbox.finish(webhook);
    }
    // Cut off: the next process makes this try.
    if (this.#isClosed) return outbox.putBack(webhook, { ...webhook, nextAt: Date.now() });
    await this.#failed(webhook, outcome);
  }

  async #lookLater(webhook: Webhook): Promise<void> {
    const now = Date.now();
    this.#open.set(runIdOf(webhook), webhook);
    const age = now - webhook.createdAt;
    const wait = Math.min(LONGEST_LOOK_MS, Math.max(SHORTEST_LOOK_MS, age / 4));
    await this.#parts.outbox.putBack(webhook, { ...webhook, nextAt: now + wait });
  }

  /** A run that is not there may yet come, or was removed; one that may not be read is not sent. */
  async #cannotRead(webhook: Webhook, error: unknown): Promise<void> {
    const code = isServiceError(error) ? error.code : undefined;
    const isMissing = code === 'run_not_found' || code === 'thread_not_found';
    const isYoung = Date.now() - webhook.createdAt < WEBHOOK_GRACE_MS;
    const isFinal = isMissing ? !isYoung : code === 'permission_denied' || code === 'auth_refused';
    if (!isFinal) return this.#lookLater(webhook);
    this.#parts.tries.inc({ outcome: 'dropped' });
    if (!isMissing) this.#warn(webhook, reasonOf(error), 'a webhook is dropped');
    this.#open.delete(runIdOf(webhook));
    await this.#parts.outbox.finish(webhook);
  }

  async #failed(
    webhook: Webhook,
    { kind, reason }: { kind: 'failed' | 'refused'; reason: string },
  ): Promise<void> {
    const { outbox, tries } = this.#parts;
    const now = Date.now();
    const { triedAt = now } = webhook;
    const delay = WEBHOOK_DELAYS_MS[webhook.tries];
    const isLate = now + (delay ?? 0) - triedAt > WEBHOOK_TOTAL_MS;
    if (kind === 'failed' && delay !== undefined && !isLate) {
      tries.inc({ outcome: 'failed' });
      if (webhook.tries === 0) this.#warn(webhook, reason, 'a webhook is tried again');
      const next = { tries: webhook.tries + 1, triedAt, nextAt: now + delay };
      return outbox.putBack(webhook, next);
    }
    tries.inc({ outcome: 'given_up' });
    this.#warn(webhook, reason, 'a webhook is given up');
    await outbox.finish(webhook);
  }

  /** Without the URL: its path may be a secret. */
  #warn(webhook: Webhook, reason: string, message: string): void {
    const { host } = new URL(webhook.url);
    this.#parts.logger.warn({ run_id: runIdOf(webhook), host, reason }, message);
  }
}

function runIdOf({ threadId, runUuid }: NewWebhook): RunId {
  return compositeRunId(threadId, runUuid);
}
