import type { ReactNode } from 'react';
import { EmptyState } from '../../ui/empty-state.tsx';

/** Explains the store, and the setting that switches it on. */
export function StoreOff(): ReactNode {
  return (
    <EmptyState
      title="The store is off"
      text={
        <>
          It stores what agents remember across threads: values under namespaces and keys, in a file
          or in PostgreSQL. Start the service with <code>SERVICE_STORE_PROVIDER=sqlite</code> to
          have one on this machine; agents then use it as LangGraph’s store.
        </>
      }
      curl="SERVICE_STORE_PROVIDER=sqlite service serve ./agent"
    />
  );
}
