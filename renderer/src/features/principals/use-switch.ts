import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { usePrincipal } from '../../state/principal.ts';

/** Queries whose results are the same for every principal. */
const sharedQueries = ['health', 'getInfo'];

/** Chooses a principal and drops the data of the one before. */
export function useSwitchPrincipal(): (name: string | null) => void {
  const client = useQueryClient();
  const choose = usePrincipal((state) => state.choose);
  return useCallback(
    (name) => {
      choose(name);
      void client.resetQueries({ predicate: ({ queryKey }) => !isShared(queryKey[0]) });
    },
    [client, choose],
  );
}

function isShared(key: unknown): boolean {
  if (typeof key === 'string') return sharedQueries.includes(key);
  // Keys of the generated client: [{ _id: 'getInfo', … }].
  return (
    typeof key === 'object' &&
    key !== null &&
    '_id' in key &&
    sharedQueries.includes(String(key._id))
  );
}
