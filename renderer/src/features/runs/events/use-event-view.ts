import { useCallback, useMemo } from 'react';
import { useQueryMembers } from '../../../state/query-members.ts';
import { isPayloadView, type PayloadView } from './payload-view.ts';

/** The view of a run's events: kept in the URL, so that a reload and a shared link show the same. */
export interface EventView {
  /** Chunk types that are omitted. */
  readonly hiddenTypes: ReadonlySet<string>;
  readonly text: string;
  readonly payload: PayloadView;
}

/** Reads and changes the view; changes add no steps to the history. */
export function useEventView(): [EventView, (change: Partial<EventView>) => void] {
  const [search, write] = useQueryMembers();
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
