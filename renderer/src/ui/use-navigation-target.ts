import { useCallback, useEffect, useRef } from 'react';

/** What is open, or will be after the pending navigation. */
export interface NavigationTarget<Target> {
  target(): Target;
  /** Called with each navigation. */
  setTarget(next: Target): void;
}

/** The router shows a page later than keys that follow each other quickly: they continue from the pending target. */
export function useNavigationTarget<Target>(shown: Target): NavigationTarget<Target> {
  const latest = useRef(shown);
  useEffect(() => {
    latest.current = shown;
  }, [shown]);
  const target = useCallback(() => latest.current, []);
  const setTarget = useCallback((next: Target) => {
    latest.current = next;
  }, []);
  return { target, setTarget };
}
