import { create } from 'zustand';
import { persist } from 'zustand/middleware';

interface LayoutState {
  /** Sizes of panes in pixels, by the name of their split. */
  readonly panes: Readonly<Record<string, number>>;
  readonly timeStyle: 'relative' | 'utc';
  setPane(name: string, size: number): void;
  toggleTimeStyle(): void;
}

/** The user’s layout of the pages; stored in this browser. */
export const useLayout = create<LayoutState>()(
  persist(
    (set) => ({
      panes: {},
      timeStyle: 'relative',
      setPane: (name, size) => set((state) => ({ panes: { ...state.panes, [name]: size } })),
      toggleTimeStyle: () =>
        set((state) => ({ timeStyle: state.timeStyle === 'utc' ? 'relative' : 'utc' })),
    }),
    { name: 'studio-layout' },
  ),
);
