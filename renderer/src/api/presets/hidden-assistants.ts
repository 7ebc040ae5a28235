import { create } from 'zustand';

/** Assistants whose deletion can still be undone: hidden here, not yet deleted by the service. */
export const useHiddenAssistants = create<{ readonly ids: ReadonlySet<string> }>()(() => ({
  ids: new Set(),
}));

/** Removes one from every list. */
export function hideAssistant(id: string): void {
  useHiddenAssistants.setState(({ ids }) => ({ ids: new Set([...ids, id]) }));
}

/** Shows it again: its deletion was undone, or it is deleted and in no list any more. */
export function unhideAssistant(id: string): void {
  useHiddenAssistants.setState(({ ids }) => ({
    ids: new Set([...ids].filter((one) => one !== id)),
  }));
}
