import type { GuestProcess } from '../process/guest-process.ts';

export interface WarmGuestOptions {
  /** Default: true. */
  isShared?: boolean;
  /** Called whenever its last run has been released. */
  onIdle?: () => void;
}

/** A running guest and the number of its runs. Once retired, it takes no new ones and closes after its last. */
export class WarmGuest {
  readonly process: GuestProcess;
  /** It may serve more than one run. */
  readonly isShared: boolean;
  /** Resolves when it must be replaced: it was retired, or its process has exited. */
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
    // No caller awaits this: the lane closes remaining guests when the service stops.
    if (this.#isRetired && this.#active === 0) void this.process.close();
  }
}
