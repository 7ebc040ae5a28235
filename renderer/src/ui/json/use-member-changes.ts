import { useEffect, useMemo, useState } from 'react';
import { jsonCall } from './json-client.ts';
import { WORKER_SIZE } from './json-size.ts';
import { memberChanges, type MemberChanges } from './member-changes.ts';

/** Typing has paused: long enough to be no part of a word. */
const pauseMs = 250;

interface EditedMembers {
  /** Undefined for a text that is no JSON object, and while it is compared. */
  readonly changes: MemberChanges | undefined;
  /** The text is large, and not compared yet. */
  readonly isPending: boolean;
}

/** How the object of an edited text differs from the original one; a large text is compared in the worker, once typing pauses. */
export function useMemberChanges(original: string, before: unknown, text: string): EditedMembers {
  const isSmall = text.length <= WORKER_SIZE;
  const direct = useMemo(
    () => (isSmall ? memberChanges(before, text) : undefined),
    [isSmall, before, text],
  );
  const [compared, setCompared] = useState<{ text: string; changes: MemberChanges | undefined }>();
  useEffect(() => {
    if (isSmall) return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => {
      jsonCall('members', [original, text]).then(
        (changes) => isCurrent && setCompared({ text, changes }),
        () => isCurrent && setCompared({ text, changes: undefined }),
      );
    }, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [isSmall, original, text]);
  if (isSmall) return { changes: direct, isPending: false };
  return compared?.text === text
    ? { changes: compared.changes, isPending: false }
    : { changes: undefined, isPending: true };
}
