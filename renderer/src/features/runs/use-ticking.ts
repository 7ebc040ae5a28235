import { useEffect, useState } from 'react';

/** The current time, updated at an interval; constant without one. */
export function useTicking(everyMs: number | undefined): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
