import { useEffect, useState } from 'react';

/** Calls back when the browser is idle; after a short time where it does not say so (Safari). Returns what ends that. */
export function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const id = requestIdleCallback(act, { timeout: 10_000 });
    return () => cancelIdleCallback(id);
  }
  const timer = setTimeout(act, 1_000);
  return () => clearTimeout(timer);
}

/** True from when the browser was idle on: what is closed at first is not rendered before the page. */
export function useWasIdle(): boolean {
  const [wasIdle, setWasIdle] = useState(false);
  useEffect(() => whenIdle(() => setWasIdle(true)), []);
  return wasIdle;
}
