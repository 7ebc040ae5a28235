import type { ThreadWithValues } from '../../../api/generated/types.gen.ts';
import { desktop } from '../../../desktop.ts';

/** An edit of a thread's state that was neither saved nor discarded. */
export interface StateDraft {
  /** The thread at the start of the edit. */
  readonly base: ThreadWithValues;
  readonly text: string;
}

const drafts = new Map<string, StateDraft>();

/** The unfinished edit of a thread's state; it is kept until the studio is closed. */
export function stateDraft(threadId: string): StateDraft | undefined {
  return drafts.get(threadId);
}

/** Keeps an edit while another page is open. */
export function keepStateDraft(threadId: string, draft: StateDraft): void {
  drafts.set(threadId, draft);
}

/** Drops it: it was saved or discarded. */
export function dropStateDraft(threadId: string): void {
  drafts.delete(threadId);
}

/** A reloaded or closed page would lose them: the browser asks first. A window of the desktop would just stay open. */
if (desktop === undefined && typeof window !== 'undefined') {
  window.addEventListener('beforeunload', (event) => {
    if (drafts.size > 0) event.preventDefault();
  });
}
