import { create } from 'zustand';

/** The filter of the list of threads, for pages whose URL does not contain it. */
export const useListQuery = create<{ readonly query: string }>()(() => ({ query: '' }));

/** The URL's filter; on pages whose URL has none, the one that was set last. */
export function queryInForce(fromUrl: string, isThreadOpen: boolean, lastQuery: string): string {
  return fromUrl === '' && isThreadOpen ? lastQuery : fromUrl;
}
