import { type ReactNode, useEffect, useState } from 'react';
import './page-skeleton.css';

/** True once something has taken long enough that its absence must be shown. */
export function useIsSlow(afterMs = 200): boolean {
  const [isSlow, setIsSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsSlow(true), afterMs);
    return () => clearTimeout(timer);
  }, [afterMs]);
  return isSlow;
}

/** Grey lines while data is being read: nothing for 200 ms, so that quick responses do not flicker. */
export function PageSkeleton({
  rows = 6,
  label = 'Loading',
}: {
  rows?: number;
  label?: string;
}): ReactNode {
  const isSlow = useIsSlow();
  return (
    <div className="page-skeleton" role="status" aria-label={label} aria-busy>
      {isSlow &&
        Array.from({ length: rows }, (_, row) => (
          <span key={row} style={{ width: `${[62, 84, 47, 73, 55, 90][row % 6]}%` }} />
        ))}
    </div>
  );
}
