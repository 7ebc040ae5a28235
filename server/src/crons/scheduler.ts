import { errorTable } from '../errors/codes.ts';
import { isServiceError } from '../errors/service-error.ts';
import { CRON_SLEEP_MS, CRONS_AT_ONCE } from '../model/limits/cron-limits.ts';
import type { CronContent, CronsPort, DueCron } from './port.ts';

/** Makes the run of a cron's time; the same time again makes nothing. */
export type FireCron = (due: DueCron) => Promise<void>;

/** What became of a cron's time. `failed`: there is no run for it. */
export type FiringOutcome = 'made' | 'failed' | 'retried';

export interface SchedulerParts {
  crons: CronsPort;
  fire: FireCron;
  firings: { inc(labels: { outcome: FiringOutcome }): void };
  logger: { warn(data: object, message: string): void };
}

/** A cron whose run cannot be made at present. */
interface Retry {
  at: number;
  tries: number;
}

/** Between the tries, doubled each time. */
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;

/**
 * Makes the runs of crons when they are due. It sleeps until the next one is, and looks at once when one is made or
 * changed here. A run is made before the cron's next time is set, and with ids that follow from the time: so none is
 * lost when the process ends in between, and none is made twice, here or in another service with the same database.
 */
export class CronScheduler {
  readonly #parts: SchedulerParts;
  readonly #retries = new Map<string, Retry>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isWoken = false;
  #isClosed = false;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
    parts.crons.onChange(() => this.wake());
  }

  /** Looks now. */
  wake(): void {
    this.#isWoken = true;
    if (this.#isClosed) return;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      if (this.#isWoken) this.wake();
    });
  }

  /** Resolves when no run is being made. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    if (!this.#parts.crons.mayHaveSome()) {
      this.#isWoken = false;
      return;
    }
    let sleepMs = CRON_SLEEP_MS;
    try {
      while (this.#isWoken && !this.#isClosed) {
        this.#isWoken = false;
        sleepMs = await this.#fireDue();
      }
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'crons could not be looked at');
    }
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.wake(), sleepMs);
    this.#timer.unref();
  }

  /** Resolves with the time until the next one is due. */
  async #fireDue(): Promise<number> {
    const { crons } = this.#parts;
    for (;;) {
      const now = Date.now();
      const except = [...this.#retries].filter(([, { at }]) => at > now).map(([cronId]) => cronId);
      const due = await crons.due(now, { limit: CRONS_AT_ONCE, except });
      if (due.length === 0 || this.#isClosed) {
        // Those whose time has come would be due: they are no more.
        for (const [cronId, { at }] of this.#retries) if (at <= now) this.#retries.delete(cronId);
        break;
      }
      await Promise.all(due.map((one) => this.#fire(one)));
    }
    const waiting = [...this.#retries];
    const next = await crons.nextDue(waiting.map(([cronId]) => cronId));
    const times = [next ?? Infinity, ...waiting.map(([, { at }]) => at)];
    return Math.min(CRON_SLEEP_MS, Math.max(0, Math.min(...times) - Date.now()));
  }

  async #fire(due: DueCron): Promise<void> {
    const { crons, fire, firings } = this.#parts;
    const { cronId } = due.cron;
    try {
      await fire(due);
      firings.inc({ outcome: 'made' });
    } catch (error) {
      if (isPassing(error)) return this.#retryLater(due, error);
      await this.#giveUp(due, error);
    }
    this.#retries.delete(cronId);
    await crons.advance(due);
  }

  /** Until its next time comes, which then counts instead. */
  #retryLater({ cron: { cronId } }: DueCron, error: unknown): void {
    const { firings, logger } = this.#parts;
    const tries = (this.#retries.get(cronId)?.tries ?? 0) + 1;
    const delay = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (tries - 1));
    this.#retries.set(cronId, { at: Date.now() + delay, tries });
    firings.inc({ outcome: 'retried' });
    if (tries === 1) logger.warn({ err: error, cron_id: cronId }, 'a cron is tried again');
  }

  async #giveUp({ cron: { cronId, threadId } }: DueCron, error: unknown): Promise<void> {
    const { crons, firings, logger } = this.#parts;
    firings.inc({ outcome: 'failed' });
    const isThreadGone = isServiceError(error) && error.code === 'thread_not_found';
    const isOver = threadId !== undefined && isThreadGone;
    logger.warn({ err: error, cron_id: cronId }, isOver ? 'a cron is disabled' : 'a cron failed');
    if (isOver) await crons.change(cronId, disabled);
  }
}

const disabled = (cron: CronContent): CronContent => ({ ...cron, isEnabled: false });

/** Whether the same may succeed later. A thread that is busy is what the strategy `reject` is about. */
function isPassing(error: unknown): boolean {
  if (!isServiceError(error)) return true;
  const { code } = error;
  return code === 'storage_full' || (errorTable[code].retry && code !== 'thread_busy');
}
