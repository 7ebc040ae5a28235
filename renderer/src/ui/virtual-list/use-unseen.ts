import { useLayoutEffect, useRef, useState } from 'react';

/** How many rows were added below since the user left the end. */
export function useUnseen<Item, Id>(
  items: readonly Item[],
  idOf: (item: Item) => Id,
  isAtEnd: boolean,
): number {
  const [lastSeen, setLastSeen] = useState<Id>();
  const wasAtEnd = useRef(isAtEnd);
  useLayoutEffect(() => {
    if (wasAtEnd.current === isAtEnd) return;
    wasAtEnd.current = isAtEnd;
    const last = isAtEnd ? undefined : items.at(-1);
    setLastSeen(last && (() => idOf(last)));
  }, [items, idOf, isAtEnd]);
  if (lastSeen === undefined) return 0;
  // Another filter: nothing can be counted.
  const index = items.findLastIndex((item) => idOf(item) === lastSeen);
  return index < 0 ? 0 : items.length - 1 - index;
}
