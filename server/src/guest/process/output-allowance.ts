import { setTimeout as delay } from 'node:timers/promises';

import { guestLimits, type GuestLimits } from '../limits.ts';

/** The amount of output that was not kept. */
export interface DroppedOutput {
  lines: number;
  bytes: number;
}

type Rates = Pick<
  GuestLimits,
  'outputLinesPerSecond' | 'outputBurstLines' | 'outputTextPerSecond' | 'outputReadPerSecond'
>;

/** Most events, such as signs of life, that are read from dropped output. */
const EVENTS_PER_SECOND = 100;

/**
 * What a guest may write, on both of its streams together: lines are kept at a rate, with a burst, and dropped beyond
 * it, since the guest's signs of life use the same streams and must not wait. Beyond a rate of bytes reading pauses.
 */
export class OutputAllowance {
  readonly #lines: Bucket;
  readonly #text: Bucket;
  readonly #bytes: Bucket;
  readonly #events: Bucket;
  readonly #onDropped: (dropped: DroppedOutput) => void;

  constructor(onDropped: (dropped: DroppedOutput) => void, rates: Rates = guestLimits) {
    const { outputLinesPerSecond: lines, outputTextPerSecond: text } = rates;
    this.#lines = new Bucket(lines, rates.outputBurstLines);
    this.#text = new Bucket(text, 4 * text);
    this.#bytes = new Bucket(rates.outputReadPerSecond, rates.outputReadPerSecond);
    this.#events = new Bucket(EVENTS_PER_SECOND, EVENTS_PER_SECOND);
    this.#onDropped = onDropped;
  }

  /** Resolves when the next part may be read, after one of this number of bytes. */
  async read(bytes: number): Promise<void> {
    this.#bytes.take(bytes);
    const owed = this.#bytes.owedMs();
    if (owed > 0) await delay(owed);
  }

  /** False when nothing more is kept for now. */
  hasLine(): boolean {
    return this.#lines.has() && this.#text.has();
  }

  takeLine(bytes: number): void {
    this.#lines.take(1);
    this.#text.take(bytes);
  }

  takeEvent(): boolean {
    if (!this.#events.has()) return false;
    this.#events.take(1);
    return true;
  }

  drop(dropped: DroppedOutput): void {
    this.#onDropped(dropped);
  }
}

/** A token bucket: fills at a rate up to its size; its level may become negative. */
class Bucket {
  readonly #perSecond: number;
  readonly #size: number;
  #left: number;
  #at = performance.now();

  constructor(perSecond: number, size: number) {
    this.#perSecond = perSecond;
    this.#size = size;
    this.#left = size;
  }

  has(): boolean {
    this.#fill();
    return this.#left >= 1;
  }

  take(amount: number): void {
    this.#fill();
    this.#left -= amount;
  }

  owedMs(): number {
    return Math.max(0, (-this.#left / this.#perSecond) * 1_000);
  }

  #fill(): void {
    const now = performance.now();
    const more = ((now - this.#at) / 1_000) * this.#perSecond;
    this.#left = Math.min(this.#size, this.#left + more);
    this.#at = now;
  }
}
