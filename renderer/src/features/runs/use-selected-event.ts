import { useCallback, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { RunStream, RunStreamEvent } from '../../api/run-stream.ts';
import { useFold } from './use-fold.ts';

/** Chooses a row, or none. Each choice is a step back in the history, unless it replaces the one before. */
export type SelectEvent = (seq: number | undefined, how?: { readonly replace: boolean }) => void;

/** The chosen row: its event's id is in the address, so that a reload and the way back find it again. */
export function useSelectedEvent(stream: RunStream | undefined): [number | undefined, SelectEvent] {
  const [search, setSearch] = useSearchParams();
  const asked = search.get('event');
  const create = useCallback(() => createFinder(asked), [asked]);
  const { fold: found } = useFold(stream, create);
  const [chosen, setChosen] = useState<Chosen>({ seq: undefined, id: null, passing: [] });
  const hasArrived = chosen.id === asked;
  if (hasArrived && chosen.passing.length > 0) setChosen({ ...chosen, passing: [] });
  const select = useCallback<SelectEvent>(
    (seq, { replace } = { replace: false }) => {
      const event = seq === undefined ? undefined : stream?.getSnapshot().log.get(seq);
      const id = typeof event?.id === 'number' ? String(event.id) : null;
      setChosen((before) => ({ seq, id, passing: [...before.passing, before.id, asked] }));
      setSearch(
        (before) => {
          const now = new URLSearchParams(before);
          if (id === null) now.delete('event');
          else now.set('event', id);
          return now;
        },
        { replace },
      );
    },
    [stream, setSearch, asked],
  );
  const isChosen = hasArrived || chosen.passing.includes(asked);
  return [isChosen ? chosen.seq : found.seq(), select];
}

interface Chosen {
  readonly seq: number | undefined;
  /** Null for nothing, and for bands of the list: they have no id to stand in an address. */
  readonly id: string | null;
  /** Addresses on the way to that id: the router follows later than a key that is held down. */
  readonly passing: readonly (string | null)[];
}

/** Looks for the event with an id; the last one of them, as the values after a gap repeat one. */
function createFinder(asked: string | null) {
  const id = asked === null ? undefined : Number(asked);
  let seq: number | undefined;
  return {
    take(event: RunStreamEvent): void {
      if (event.id === id) seq = event.seq;
    },
    seq: () => seq,
  };
}
