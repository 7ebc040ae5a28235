import { useEffect } from 'react';
import { create } from 'zustand';

interface InView {
  /** How many components show each run or thread, by its id. */
  readonly counts: ReadonlyMap<string, number>;
}

/** The runs and threads whose outcome is on the page: they need no notice. */
export const useInViewStore = create<InView>()(() => ({ counts: new Map() }));

/** Registers that the calling component shows how this run, or any run of this thread, ends. */
export function useInView(id: string | undefined): void {
  useEffect(() => {
    if (id === undefined) return undefined;
    change(id, 1);
    return () => change(id, -1);
  }, [id]);
}

function change(id: string, by: number): void {
  useInViewStore.setState(({ counts }) => {
    const next = new Map(counts);
    const count = (next.get(id) ?? 0) + by;
    if (count > 0) next.set(id, count);
    else next.delete(id);
    return { counts: next };
  });
}
