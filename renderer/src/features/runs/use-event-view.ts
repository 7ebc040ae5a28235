import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { isPayloadView, type PayloadView } from './payload-view.ts';

/** How the events of a run are looked at: kept in the address, so that a reload and a shared link show the same. */
export interface EventView {
  /** Chunk types that are left out. */
  readonly hiddenTypes: ReadonlySet<string>;
  readonly text: string;
  readonly payload: PayloadView;
}

/** Reads and changes the view; writing does not add steps to the way back. */
export function useEventView(): [EventView, (change: Partial<EventView>) => void] {
  const [search, setSearch] = useSearchParams();
  const hidden = search.get('hide') ?? '';
  const text = search.get('find') ?? '';
  const payload = search.get('payload');
  const view = useMemo(
    () => ({
      hiddenTypes: new Set(hidden.split(',').filter((type) => type !== '')),
      text,
      payload: isPayloadView(payload) ? payload : 'json',
    }),
    [hidden, text, payload],
  );
  const change = useCallback(
    ({ hiddenTypes, text, payload }: Partial<EventView>) =>
      setSearch(
        (before) => {
          const now = new URLSearchParams(before);
          if (hiddenTypes !== undefined) put(now, 'hide', [...hiddenTypes].join(','));
          if (text !== undefined) put(now, 'find', text);
          if (payload !== undefined) put(now, 'payload', payload === 'json' ? '' : payload);
          return now;
        },
        // At once: a key that is pressed before a transition has drawn would go on from the old text.
        { replace: true, flushSync: true },
      ),
    [setSearch],
  );
  return [view, change];
}

function put(search: URLSearchParams, name: string, value: string): void {
  if (value === '') search.delete(name);
  else search.set(name, value);
}
