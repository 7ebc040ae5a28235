import { setMaxListeners } from 'node:events';

/** Where the HTTP side stands on its way down. */
export interface Lifecycle {
  readonly isDraining: boolean;
  /** Fires when what is still in flight must end now. */
  readonly stopSignal: AbortSignal;
  /** From now on new requests are refused; those in flight go on. */
  drain(): void;
  stop(): void;
}

/** A lifecycle that is neither draining nor stopped. */
export function createLifecycle(): Lifecycle {
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // one listener for every request that waits
  let isDraining = false;
  return {
    get isDraining() {
      return isDraining;
    },
    stopSignal: stopping.signal,
    drain() {
      isDraining = true;
    },
    stop() {
      isDraining = true;
      stopping.abort();
    },
  };
}
