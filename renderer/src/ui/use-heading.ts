import { type RefObject, useEffect, useRef } from 'react';

/**
 * Where a person is, or already goes: the router shows a page later than keys that follow each other quickly.
 * Who leads on writes the next place into it.
 */
export function useHeading<Place>(shown: Place): RefObject<Place> {
  const heading = useRef(shown);
  useEffect(() => {
    heading.current = shown;
  }, [shown]);
  return heading;
}
