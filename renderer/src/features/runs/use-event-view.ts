import { useCallback, useMemo } from 'react';
import { useAddressMembers } from '../../state/address-members.ts';
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
  const [search, write] = useAddressMembers();
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
      write(
        {
          ...(hiddenTypes !== undefined && { hide: [...hiddenTypes].join(',') || undefined }),
          ...(text !== undefined && { find: text || undefined }),
          ...(payload !== undefined && { payload: payload === 'json' ? undefined : payload }),
        },
        { replace: true },
      ),
    [write],
  );
  return [view, change];
}
