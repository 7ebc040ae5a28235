import { create } from 'zustand';

/** The filter of the list of threads, while pages are open whose address does not say it. */
export const useListQuery = create<{ readonly query: string }>()(() => ({ query: '' }));
