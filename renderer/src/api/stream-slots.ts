/** Streams that all windows of a browser have at the same time: two connections of six are left for other requests. */
export const MAX_STREAMS = 4;
/** How often a window that is seen and waits asks the others. */
const askEveryMs = 250;

/** The streams to a service that all windows of a browser share. */
export interface StreamSlots {
  /**
   * Resolves when a stream may be opened, with the function to call at its end; rejects on abort. `giveBack` is called
   * when a window that the user is at, or sees, waits for a stream while this window is left, or not seen: its stream is
   * to be closed then.
   */
  take(signal: AbortSignal, giveBack: () => void): Promise<() => void>;
}

/** What of a browser is used; tests pass their own. */
export interface StreamSlotParts {
  readonly locks: {
    request(
      name: string,
      options: { signal: AbortSignal },
      hold: () => Promise<void> | undefined,
    ): Promise<unknown>;
  };
  /** Reaches the other windows. */
  readonly channel: {
    postMessage(message: WaitingWindow): void;
    addEventListener(type: 'message', listener: (event: { data: WaitingWindow }) => void): void;
  };
  /** Whether a user sees this window, and is at it. */
  readonly view: { readonly hidden: boolean; hasFocus(): boolean };
}

/** A window that is seen waits for a stream. */
interface WaitingWindow {
  /** Of all windows one has it. */
  readonly hasFocus: boolean;
}

/** Why a stream was closed that another window needed: it is opened again as soon as there is a slot. */
export class StreamGivenBack extends Error {
  override readonly name = 'StreamGivenBack';
}

/**
 * Over HTTP/1.1 a browser opens six connections to a service, for all windows together: streams of six windows would leave
 * none for the page of a seventh. A stream that is given back continues where it was once there is a slot again, with what
 * the service still has of it.
 */
export function createStreamSlots({ locks, channel, view }: StreamSlotParts): StreamSlots {
  const holders = new Set<() => void>();
  channel.addEventListener('message', ({ data }) => {
    const isLeft = data.hasFocus && !view.hasFocus();
    if (!view.hidden && !isLeft) return;
    for (const giveBack of holders) giveBack();
  });

  const ask = (): void => {
    if (!view.hidden) channel.postMessage({ hasFocus: view.hasFocus() });
  };

  /** Waits for each slot, and keeps the first that is free. */
  function firstSlot(signal: AbortSignal): Promise<() => void> {
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    const slots = Array.from({ length: MAX_STREAMS }, (_, slot) => {
      return new Promise<() => void>((resolve, reject) => {
        const hold = (): Promise<void> | undefined => {
          if (ended.signal.aborted) return undefined;
          ended.abort();
          return new Promise((release) => resolve(release));
        };
        locks.request(`studio-stream-${slot}`, { signal: either }, hold).catch(reject);
      });
    });
    return Promise.any(slots);
  }

  return {
    async take(signal, giveBack) {
      const asking = setInterval(ask, askEveryMs);
      let release: () => void;
      try {
        release = await firstSlot(signal);
      } catch {
        signal.throwIfAborted();
        // A browser that keeps no data of the page has no locks: its windows do as well as they can.
        return () => undefined;
      } finally {
        clearInterval(asking);
      }
      holders.add(giveBack);
      return () => {
        holders.delete(giveBack);
        release();
      };
    },
  };
}
