import { setMaxListeners } from 'node:events';

/** The shutdown state of the HTTP side. */
export interface Lifecycle {
  readonly isDraining: boolean;
  /** Fires when everything still in flight must end now. */
  readonly stopSignal: AbortSignal;
  /** Refuses new requests from now on; those in flight continue. */
  drain(): void;
  stop(): void;
}

/** A lifecycle that is neither draining nor stopped. */
export function createLifecycle(): Lifecycle {
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // one listener for every waiting request
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
