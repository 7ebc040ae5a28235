import { useSearchParams } from 'react-router';

/** Where the reader is in the store, kept in the address. */
export interface StorePlace {
  readonly namespace: readonly string[];
  /** The item that is open: its own path may lie below `namespace`. */
  readonly item: { readonly namespace: readonly string[]; readonly key: string } | undefined;
  readonly isNew: boolean;
  readonly filter: string;
}

/** Reads and changes the place. */
export function useStorePlace(): [StorePlace, (change: Partial<StorePlace>) => void] {
  const [query, setQuery] = useSearchParams();
  const key = query.get('key');
  const place: StorePlace = {
    namespace: query.getAll('ns'),
    item: key === null ? undefined : { namespace: query.getAll('in'), key },
    isNew: query.has('new'),
    filter: query.get('filter') ?? '',
  };
  return [
    place,
    (change) => {
      const next = { ...place, ...change };
      const written = new URLSearchParams();
      for (const label of next.namespace) written.append('ns', label);
      if (next.filter !== '') written.set('filter', next.filter);
      if (next.isNew) written.set('new', '');
      else if (next.item !== undefined) {
        for (const label of next.item.namespace) written.append('in', label);
        written.set('key', next.item.key);
      }
      // What is opened or chosen can be gone back from; each key of a filter cannot. At once, as what is typed would
      // be lost in a field that still shows the old text.
      setQuery(written, { replace: 'filter' in change, flushSync: true });
    },
  ];
}
