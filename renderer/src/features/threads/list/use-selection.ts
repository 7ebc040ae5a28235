import { useCallback, useMemo, useState } from 'react';
import type { Thread } from '../../../api/generated/types.gen.ts';

/** Which threads are selected; only those that are listed count. */
export function useSelection(threads: readonly Thread[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string>();
  const ids = useMemo(
    () => new Set(threads.flatMap(({ thread_id: id }) => (chosen.has(id) ? [id] : []))),
    [threads, chosen],
  );

  const toggle = useCallback(
    (id: string, isRange: boolean) => {
      const from = threads.findIndex(({ thread_id }) => thread_id === last);
      const to = threads.findIndex(({ thread_id }) => thread_id === id);
      setLast(id);
      setChosen((old) => {
        const next = new Set(old);
        if (isRange && from >= 0 && to >= 0) {
          const between = threads.slice(Math.min(from, to), Math.max(from, to) + 1);
          for (const { thread_id } of between) next.add(thread_id);
        } else if (!next.delete(id)) next.add(id);
        return next;
      });
    },
    [threads, last],
  );
  const all = useCallback(
    () => setChosen(new Set(threads.map(({ thread_id }) => thread_id))),
    [threads],
  );
  const none = useCallback(() => setChosen(new Set()), []);
  return { ids, toggle, all, none };
}
