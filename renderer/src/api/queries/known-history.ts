import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/** The query key under which the page of checkpoints caches a thread's history. */
export function historyKey(threadId: string): readonly unknown[] {
  return ['checkpoint-history', threadId];
}

interface KnownHistory {
  readonly checkpoints: readonly unknown[];
  /** There is nothing older. */
  readonly isComplete: boolean;
}

/** What was read of a thread's history; undefined before. Never fetched: the response would include all values. */
export function useKnownHistory(threadId: string): KnownHistory | undefined {
  const client = useQueryClient();
  return useSyncExternalStore(
    (listener) => client.getQueryCache().subscribe(listener),
    () => client.getQueryData<KnownHistory>(historyKey(threadId)),
  );
}
