import { useCallback, useMemo, useState } from 'react';

/** Which items of a list are selected, by their ids; only those that are listed count. `idOf` is constant. */
export function useSelection<Item>(items: readonly Item[], idOf: (item: Item) => string) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string>();
  const listed = useMemo(() => items.map(idOf), [items, idOf]);
  const ids = useMemo(() => new Set(listed.filter((id) => chosen.has(id))), [listed, chosen]);

  const toggle = useCallback(
    (id: string, isRange: boolean) => {
      const from = last === undefined ? -1 : listed.indexOf(last);
      const to = listed.indexOf(id);
      setLast(id);
      setChosen((old) => {
        const next = new Set(old);
        if (isRange && from >= 0 && to >= 0) {
          for (const one of listed.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(one);
        } else if (!next.delete(id)) next.add(id);
        return next;
      });
    },
    [listed, last],
  );
  const all = useCallback(() => setChosen(new Set(listed)), [listed]);
  const none = useCallback(() => setChosen(new Set()), []);
  return { ids, toggle, all, none };
}
