import { useSearchParams } from 'react-router';

/** The parameters of the store's page, kept in the URL. */
export interface StoreParams {
  readonly namespace: readonly string[];
  /** The item that is open: its own path may be below `namespace`. */
  readonly item: { readonly namespace: readonly string[]; readonly key: string } | undefined;
  readonly isNew: boolean;
  readonly filter: string;
}

/** Reads and changes the parameters. */
export function useStoreParams(): [StoreParams, (change: Partial<StoreParams>) => void] {
  const [query, setQuery] = useSearchParams();
  const key = query.get('key');
  const params: StoreParams = {
    namespace: query.getAll('ns'),
    item: key === null ? undefined : { namespace: query.getAll('in'), key },
    isNew: query.has('new'),
    filter: query.get('filter') ?? '',
  };
  return [
    params,
    (change) => {
      const next = { ...params, ...change };
      const written = new URLSearchParams();
      for (const label of next.namespace) written.append('ns', label);
      if (next.filter !== '') written.set('filter', next.filter);
      if (next.isNew) written.set('new', '');
      else if (next.item !== undefined) {
        for (const label of next.item.namespace) written.append('in', label);
        written.set('key', next.item.key);
      }
      // What is opened or chosen is a step in the history, each typed character is not. Synchronously, or typed text
      // is lost in a field that still shows the old text.
      setQuery(written, { replace: 'filter' in change, flushSync: true });
    },
  ];
}
