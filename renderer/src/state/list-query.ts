import { create } from 'zustand';

/** The filter of the list of threads, while pages are open whose address does not say it. */
export const useListQuery = create<{ readonly query: string }>()(() => ({ query: '' }));

/** The address's filter; on pages whose address says none, the one that was set last. */
export function queryInForce(fromAddress: string, isThreadOpen: boolean, kept: string): string {
  return fromAddress === '' && isThreadOpen ? kept : fromAddress;
}
