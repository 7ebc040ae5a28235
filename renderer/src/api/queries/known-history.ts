import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { threadKeys } from './thread-keys.ts';

interface KnownHistory {
  readonly checkpoints: readonly unknown[];
  /** There is nothing older. */
  readonly isComplete: boolean;
}

/**
 * Reads what is known of a thread's history again when the thread has changed: a run or a saved state adds checkpoints,
 * whichever page is open. What was never read is not fetched: the response would include all values.
 */
export function useFreshHistory(threadId: string, version: string): void {
  const client = useQueryClient();
  const seen = useRef({ threadId, version });
  useEffect(() => {
    const { threadId: thread, version: before } = seen.current;
    seen.current = { threadId, version };
    if (thread === threadId && before !== '' && before !== version)
      void client.invalidateQueries({
        queryKey: threadKeys.history(threadId),
        refetchType: 'inactive',
      });
  }, [client, threadId, version]);
}

/** What was read of a thread's history; undefined before. */
export function useKnownHistory(threadId: string): KnownHistory | undefined {
  const client = useQueryClient();
  return useSyncExternalStore(
    (listener) => client.getQueryCache().subscribe(listener),
    () => client.getQueryData<KnownHistory>(threadKeys.history(threadId)),
  );
}
