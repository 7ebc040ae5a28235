import { useCallback, useState } from 'react';
import type { RunStream, RunStreamEvent } from '../../api/run-stream.ts';
import { useAddressMembers } from '../../state/address-members.ts';
import { useFold } from './use-fold.ts';

/** Chooses a row, or none. Each choice is a step back in the history, unless it replaces the one before. */
export type SelectEvent = (seq: number | undefined, how?: { readonly replace: boolean }) => void;

/** The chosen row: its event's id is in the address, so that a reload and the way back find it again. */
export function useSelectedEvent(stream: RunStream | undefined): [number | undefined, SelectEvent] {
  const [search, write] = useAddressMembers();
  const asked = search.get('event');
  const create = useCallback(() => createFinder(asked), [asked]);
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
  return [chosen.id === asked ? chosen.seq : found.seq(), select];
}

interface Chosen {
  readonly seq: number | undefined;
  /** Null for nothing, and for bands of the list: they have no id to stand in an address. */
  readonly id: string | null;
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
