import { create } from 'zustand';
import { persist } from 'zustand/middleware';

/** A saved list: its filters as the query of its URL. */
export interface SavedView {
  readonly name: string;
  /** `status=busy&meta=team%3Da` */
  readonly query: string;
}

interface SavedViews {
  readonly views: readonly SavedView[];
  /** A view of the same name is replaced. */
  save(view: SavedView): void;
  /** The caller refuses a name that is taken. */
  rename(name: string, next: string): void;
  remove(name: string): void;
}

function createSavedViews(storedAs: string) {
  return create<SavedViews>()(
    persist(
      (set) => ({
        views: [],
        save: (view) =>
          set(({ views }) => ({
            views: [...views.filter(({ name }) => name !== view.name), view],
          })),
        rename: (name, next) =>
          set(({ views }) => ({
            views: views.map((view) => (view.name === name ? { ...view, name: next } : view)),
          })),
        remove: (name) =>
          set(({ views }) => ({ views: views.filter((view) => view.name !== name) })),
      }),
      { name: storedAs },
    ),
  );
}

/** The views of threads that were saved in this browser. */
export const useSavedViews = createSavedViews('studio-thread-views');

/** The views of runs that were saved in this browser. */
export const useSavedRunViews = createSavedViews('studio-run-views');
