import { create } from 'zustand';
import { persist } from 'zustand/middleware';

/** A list that somebody wants to see again: its filters as the query of its address. */
export interface SavedView {
  readonly name: string;
  /** `status=busy&meta=team%3Da` */
  readonly query: string;
}

interface SavedViews {
  readonly views: readonly SavedView[];
  /** A view of the same name is replaced. */
  save(view: SavedView): void;
  /** A name that is taken is the caller's to refuse. */
  rename(name: string, next: string): void;
  remove(name: string): void;
}

/** The views of threads that were saved in this browser. */
export const useSavedViews = create<SavedViews>()(
  persist(
    (set) => ({
      views: [],
      save: (view) =>
        set(({ views }) => ({ views: [...views.filter(({ name }) => name !== view.name), view] })),
      rename: (name, next) =>
        set(({ views }) => ({
          views: views.map((view) => (view.name === name ? { ...view, name: next } : view)),
        })),
      remove: (name) => set(({ views }) => ({ views: views.filter((view) => view.name !== name) })),
    }),
    { name: 'studio-thread-views' },
  ),
);
