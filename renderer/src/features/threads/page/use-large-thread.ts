import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { threadSignsQuery } from '../queries.ts';
import { threadKeys } from '../../../api/queries/thread-keys.ts';

/** Reads a thread with a large state again when it has changed: such a one is not read by the clock. */
export function useLargeThread(threadId: string, isLarge: boolean): void {
  const client = useQueryClient();
  const { data: signs } = useQuery({ ...threadSignsQuery(threadId), enabled: isLarge });
  const seen = useRef<{ threadId: string; signs: string }>(undefined);
  useEffect(() => {
    if (signs === undefined) return;
    const before = seen.current;
    seen.current = { threadId, signs };
    if (before?.threadId === threadId && before.signs !== signs)
      void client.invalidateQueries({ queryKey: threadKeys.values(threadId) });
  }, [client, threadId, signs]);
}
