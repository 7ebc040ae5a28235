import type { RunEvent } from './port.ts';

/** Size of an event in addition to its data. */
const EVENT_OVERHEAD = 64;

/** The bounded log of one run: the newest events, and the id up to which earlier ones are lost. */
export class RunLog {
  #events: RunEvent[] = [];
  #head = 0;
  #size = 0;
  #lostThrough = 0;
  #lastId = 0;
  #isClosed = false;
  #wakers = new Set<() => void>();

  get size(): number {
    return this.#size;
  }

  get lostThrough(): number {
    return this.#lostThrough;
  }

  get lastId(): number {
    return this.#lastId;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get count(): number {
    return this.#events.length - this.#head;
  }

  /** Adds an event and returns how much the log grew. An event whose id is not above the last one is ignored. */
  append(event: RunEvent): number {
    if (event.id <= this.#lastId) return 0;
    // A log that begins after id 1 belongs to a run whose earlier events were in another process's memory.
    if (this.#lastId === 0) this.#lostThrough = event.id - 1;
    this.#lastId = event.id;
    this.#events.push(event);
    const size = sizeOf(event);
    this.#size += size;
    this.#wake();
    return size;
  }

  /** Drops the oldest event and returns its size. */
  dropOldest(): number {
    const event = this.#events[this.#head];
    if (!event) return 0;
    this.#head += 1;
    this.#lostThrough = event.id;
    const size = sizeOf(event);
    this.#size -= size;
    if (this.#head > 256 && this.#head * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
    return size;
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** The oldest retained event with an id above `after`. */
  firstAfter(after: number): RunEvent | undefined {
    let low = this.#head;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const event = this.#events[middle];
      if (event && event.id <= after) low = middle + 1;
      else high = middle;
    }
    return this.#events[low];
  }

  /** Resolves when something was appended, the log was closed, or the signal fired. */
  changed(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#wakers.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#wakers.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  #wake(): void {
    for (const wake of this.#wakers) wake();
  }
}

function sizeOf(event: RunEvent): number {
  return event.data.length + event.ns.length + EVENT_OVERHEAD;
}
