import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { usePrincipal } from '../../state/principal.ts';

/** Answers that are the same for everybody. */
const forEverybody = ['health', 'getInfo'];

/** Chooses a principal and forgets what the one before was shown. */
export function useSwitchPrincipal(): (name: string | null) => void {
  const client = useQueryClient();
  const choose = usePrincipal((state) => state.choose);
  return useCallback(
    (name) => {
      choose(name);
      void client.resetQueries({ predicate: ({ queryKey }) => !isForEverybody(queryKey[0]) });
    },
    [client, choose],
  );
}

function isForEverybody(key: unknown): boolean {
  if (typeof key === 'string') return forEverybody.includes(key);
  // Keys of the generated client: [{ _id: 'getInfo', … }].
  return (
    typeof key === 'object' &&
    key !== null &&
    '_id' in key &&
    forEverybody.includes(String(key._id))
  );
}
