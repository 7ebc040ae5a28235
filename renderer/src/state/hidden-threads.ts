import { create } from 'zustand';

interface HiddenThreads {
  readonly ids: ReadonlySet<string>;
}

/** Threads whose deletion can still be undone: gone for the eye, not yet for the service. */
export const useHiddenThreads = create<HiddenThreads>()(() => ({ ids: new Set() }));

/** Takes threads out of every list. */
export function hideThreads(ids: readonly string[]): void {
  useHiddenThreads.setState((state) => ({ ids: new Set([...state.ids, ...ids]) }));
}

/** Shows them again: they were deleted for good, and may be made anew, or their deletion was undone. */
export function unhideThreads(ids: readonly string[]): void {
  useHiddenThreads.setState((state) => ({
    ids: new Set([...state.ids].filter((id) => !ids.includes(id))),
  }));
}
