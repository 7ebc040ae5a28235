import { create } from 'zustand';

interface HiddenThreads {
  readonly ids: ReadonlySet<string>;
}

/** Threads whose deletion can still be undone: hidden here, not yet deleted by the service. */
export const useHiddenThreads = create<HiddenThreads>()(() => ({ ids: new Set() }));

/** Removes threads from every list. */
export function hideThreads(ids: readonly string[]): void {
  useHiddenThreads.setState((state) => ({ ids: new Set([...state.ids, ...ids]) }));
}

/** Shows them again: they were deleted, and may be created again, or their deletion was undone. */
export function unhideThreads(ids: readonly string[]): void {
  useHiddenThreads.setState((state) => ({
    ids: new Set([...state.ids].filter((id) => !ids.includes(id))),
  }));
}
