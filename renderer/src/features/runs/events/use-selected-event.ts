import { useCallback, useState } from 'react';
import type { RunStream, RunStreamEvent } from '../../../api/run-stream.ts';
import { useQueryMembers } from '../../../state/query-members.ts';
import { useFold } from './use-fold.ts';

/** Chooses a row, or none. Each choice is a step in the history, unless it replaces the previous one. */
export type SelectEvent = (seq: number | undefined, how?: { readonly replace: boolean }) => void;

/** The chosen row: its event's id is in the URL, so that a reload and the back button find it again. */
export function useSelectedEvent(stream: RunStream | undefined): [number | undefined, SelectEvent] {
  const [search, write] = useQueryMembers();
  const wanted = search.get('event');
  const create = useCallback(() => createFinder(wanted), [wanted]);
  const { fold: found } = useFold(stream, create);
  const [chosen, setChosen] = useState<Chosen>({ seq: undefined, id: null });
  const select = useCallback<SelectEvent>(
    (seq, { replace } = { replace: false }) => {
      const event = seq === undefined ? undefined : stream?.getSnapshot().log.get(seq);
      const id = typeof event?.id === 'number' ? String(event.id) : null;
      setChosen({ seq, id });
      write({ event: id ?? undefined }, { replace });
    },
    [stream, write],
  );
  return [chosen.id === wanted ? chosen.seq : found.seq(), select];
}

interface Chosen {
  readonly seq: number | undefined;
  /** Null for nothing, and for bands of the list: they have no id for the URL. */
  readonly id: string | null;
}

/** Finds the last event with an id, as the values after a gap repeat one. */
function createFinder(wanted: string | null) {
  const id = wanted === null ? undefined : Number(wanted);
  let seq: number | undefined;
  return {
    take(event: RunStreamEvent): void {
      if (event.id === id) seq = event.seq;
    },
    seq: () => seq,
  };
}
