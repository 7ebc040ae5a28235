import { useCallback, useEffect, useRef } from 'react';

/** Where a person is, or already goes. */
export interface Heading<Place> {
  at(): Place;
  /** Says where it goes now. */
  lead(to: Place): void;
}

/** The router shows a page later than keys that follow each other quickly: who leads on says so here. */
export function useHeading<Place>(shown: Place): Heading<Place> {
  const place = useRef(shown);
  useEffect(() => {
    place.current = shown;
  }, [shown]);
  const at = useCallback(() => place.current, []);
  const lead = useCallback((to: Place) => {
    place.current = to;
  }, []);
  return { at, lead };
}
