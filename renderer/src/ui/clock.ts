import { useSyncExternalStore } from 'react';

/** One timer for all running times on the page. */
function createClock(everyMs: number) {
  const readers = new Set<() => void>();
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  /** Not with every reader: what was rendered with the time before would be rendered again. */
  const refresh = (): void => {
    // The machine's clock may have been set back, too.
    if (Math.abs(Date.now() - now) >= everyMs) now = Date.now();
  };
  const tick = (): void => {
    if (document.hidden) return;
    now = Date.now();
    for (const reader of readers) reader();
  };
  return {
    read: () => {
      if (timer === undefined) refresh();
      return now;
    },
    subscribe: (reader: () => void) => {
      readers.add(reader);
      if (timer === undefined) {
        refresh();
        timer = setInterval(tick, everyMs);
        document.addEventListener('visibilitychange', tick);
      }
      return () => {
        readers.delete(reader);
        if (readers.size > 0) return;
        clearInterval(timer);
        timer = undefined;
        document.removeEventListener('visibilitychange', tick);
      };
    },
  };
}

const seconds = createClock(1_000);
const noTicks = (): (() => void) => () => {};

/** The time, once a second while the page is visible; `isRunning: false` asks for no ticks and costs nothing. */
export function useNow({ isRunning = true }: { isRunning?: boolean } = {}): number {
  return useSyncExternalStore(isRunning ? seconds.subscribe : noTicks, seconds.read);
}
