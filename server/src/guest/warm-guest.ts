import type { GuestProcess } from './guest-process.ts';

/** A running guest and how many runs it has. Retired, it takes no new ones and closes after its last. */
export class WarmGuest {
  readonly process: GuestProcess;
  /** Resolves when it is to be replaced: it was retired, or its process is gone. */
  readonly retired: Promise<void>;
  #active = 0;
  #isRetired = false;
  #noteRetired: () => void = () => undefined;

  constructor(process: GuestProcess) {
    this.process = process;
    this.retired = new Promise((resolve) => {
      this.#noteRetired = resolve;
    });
    process.onExit(() => this.retire());
  }

  get active(): number {
    return this.#active;
  }

  take(): void {
    this.#active += 1;
  }

  /** Gives it back after `take`. */
  release(): void {
    this.#active -= 1;
    this.#closeWhenIdle();
  }

  /** Idempotent. */
  retire(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    this.#noteRetired();
    this.#closeWhenIdle();
  }

  #closeWhenIdle(): void {
    // Nobody waits for this: the lane closes what is left when the service stops.
    if (this.#isRetired && this.#active === 0) void this.process.close();
  }
}
