import { setTimeout as delay } from 'node:timers/promises';

import { guestLimits, type GuestLimits } from '../limits.ts';

/** What was written and not kept. */
export interface DroppedOutput {
  lines: number;
  bytes: number;
}

type Rates = Pick<
  GuestLimits,
  'outputLinesPerSecond' | 'outputBurstLines' | 'outputTextPerSecond' | 'outputReadPerSecond'
>;

/** Signs of life and the like; nobody needs more. */
const EVENTS_PER_SECOND = 100;

/**
 * What a guest may write, on both of its streams together: lines are kept at a rate, with a burst, and beyond it dropped,
 * for the signs of life of a guest come the same way and must not wait. Beyond a rate of bytes it is not read.
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

  /** Resolves when the next part may be read, after one of so many bytes. */
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

/** Fills at a rate up to its size; may owe what was taken at once. */
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
