import type { ThreadWithValues } from '../../../api/generated/types.gen.ts';
import { desktop } from '../../../desktop.ts';

/** An edit of a thread's state that was begun and neither saved nor given up. */
export interface StateDraft {
  /** The thread as it was when the edit began. */
  readonly base: ThreadWithValues;
  readonly text: string;
}

const drafts = new Map<string, StateDraft>();

/** The edit that was left on a thread's state tab; it lasts as long as the page of the studio. */
export function stateDraft(threadId: string): StateDraft | undefined {
  return drafts.get(threadId);
}

/** Keeps an edit while the reader looks at something else. */
export function keepStateDraft(threadId: string, draft: StateDraft): void {
  drafts.set(threadId, draft);
}

/** Forgets it: it was saved or given up. */
export function dropStateDraft(threadId: string): void {
  drafts.delete(threadId);
}

/** A page that is reloaded or closed would lose them without a word: the browser asks first. A window would just stay. */
if (desktop === undefined && typeof window !== 'undefined') {
  window.addEventListener('beforeunload', (event) => {
    if (drafts.size > 0) event.preventDefault();
  });
}
