import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

/** Sets members of the address, or takes away those that are undefined; the others stay. */
export type WriteMembers = (
  members: Readonly<Record<string, string | undefined>>,
  how?: { readonly replace: boolean },
) => void;

/** The members of the address after `?`, and what changes some of them: a step back in the history unless it replaces. */
export function useAddressMembers(): [URLSearchParams, WriteMembers] {
  const [members, setMembers] = useSearchParams();
  const write = useCallback<WriteMembers>(
    (changes, how) =>
      setMembers(
        (before) => {
          const now = new URLSearchParams(before);
          for (const [name, value] of Object.entries(changes))
            if (value === undefined) now.delete(name);
            else now.set(name, value);
          return now;
        },
        // At once: a key that is pressed before a transition has drawn would go on from the old address.
        { ...how, flushSync: true },
      ),
    [setMembers],
  );
  return [members, write];
}
