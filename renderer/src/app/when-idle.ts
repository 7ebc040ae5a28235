import { useEffect, useState } from 'react';

/** Calls back when the browser is idle; after a short time where it cannot report that (Safari). Returns a function that cancels it. */
export function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const id = requestIdleCallback(act, { timeout: 10_000 });
    return () => cancelIdleCallback(id);
  }
  const timer = setTimeout(act, 1_000);
  return () => clearTimeout(timer);
}

/**
 * True once the browser was idle, or a person has pressed something: dialogs, which are closed at first, are rendered after
 * the page, and before they are opened, so that they give the focus back to where it was.
 */
export function useWasIdle(): boolean {
  const [wasIdle, setWasIdle] = useState(false);
  useEffect(() => {
    const ready = (): void => setWasIdle(true);
    const listening = new AbortController();
    for (const type of ['keydown', 'pointerdown']) {
      window.addEventListener(type, ready, { capture: true, signal: listening.signal });
    }
    const stop = whenIdle(ready);
    return () => {
      listening.abort();
      stop();
    };
  }, []);
  return wasIdle;
}
