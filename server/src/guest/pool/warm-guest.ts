import type { GuestProcess } from '../process/guest-process.ts';

export interface WarmGuestOptions {
  /** Default: true. */
  isShared?: boolean;
  /** Called whenever its last run has left it. */
  onIdle?: () => void;
}

/** A running guest and how many runs it has. Retired, it takes no new ones and closes after its last. */
export class WarmGuest {
  readonly process: GuestProcess;
  /** It has more than one run in its life. */
  readonly isShared: boolean;
  /** Resolves when it is to be replaced: it was retired, or its process is gone. */
  readonly retired: Promise<void>;
  readonly #onIdle: (() => void) | undefined;
  #active = 0;
  #isRetired = false;
  #noteRetired: () => void = () => undefined;

  constructor(process: GuestProcess, { isShared = true, onIdle }: WarmGuestOptions = {}) {
    this.process = process;
    this.isShared = isShared;
    this.#onIdle = onIdle;
    this.retired = new Promise((resolve) => {
      this.#noteRetired = resolve;
    });
    process.onExit(() => this.retire());
  }

  get active(): number {
    return this.#active;
  }

  get isRetired(): boolean {
    return this.#isRetired;
  }

  take(): void {
    this.#active += 1;
  }

  /** Gives it back after `take`. */
  release(): void {
    this.#active -= 1;
    if (this.#active === 0) this.#onIdle?.();
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
