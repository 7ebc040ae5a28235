import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/** Where the page of checkpoints keeps what it has read of a thread's history. */
export function historyKey(threadId: string): readonly unknown[] {
  return ['checkpoint-history', threadId];
}

interface KnownHistory {
  readonly checkpoints: readonly unknown[];
  /** There is nothing older. */
  readonly isComplete: boolean;
}

/** What was read of a thread's history; undefined before. It is never asked for: all values would come with it. */
export function useKnownHistory(threadId: string): KnownHistory | undefined {
  const client = useQueryClient();
  return useSyncExternalStore(
    (listener) => client.getQueryCache().subscribe(listener),
    () => client.getQueryData<KnownHistory>(historyKey(threadId)),
  );
}
