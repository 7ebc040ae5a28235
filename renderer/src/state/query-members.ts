import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

/** Sets members of the URL's query, or removes those that are undefined; the others stay. */
export type WriteMembers = (
  members: Readonly<Record<string, string | undefined>>,
  how?: { readonly replace: boolean },
) => void;

/** The members of the URL's query, and a function that changes some: a step in the history unless it replaces. */
export function useQueryMembers(): [URLSearchParams, WriteMembers] {
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
        // Synchronously: a key that is pressed before a transition has rendered would use the old URL.
        { ...how, flushSync: true },
      ),
    [setMembers],
  );
  return [members, write];
}
