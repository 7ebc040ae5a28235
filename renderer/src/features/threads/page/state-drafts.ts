import type { ThreadWithValues } from '../../../api/generated/types.gen.ts';
import { currentService } from '../../../api/desktop-service.ts';
import { desktop } from '../../../desktop.ts';

/** An edit of a thread's state that was neither saved nor discarded. */
export interface StateDraft {
  /** The thread at the start of the edit. */
  readonly base: ThreadWithValues;
  readonly text: string;
}

const drafts = new Map<string, StateDraft>();

/** The unfinished edit of the state of a thread of the current service; it is kept until the studio is closed. */
export function stateDraft(threadId: string): StateDraft | undefined {
  return drafts.get(keyOf(threadId));
}

/** Keeps an edit while another page is open. */
export function keepStateDraft(threadId: string, draft: StateDraft): void {
  drafts.set(keyOf(threadId), draft);
}

/** Drops it: it was saved or discarded. */
export function dropStateDraft(threadId: string): void {
  drafts.delete(keyOf(threadId));
}

/** Another service may have a thread of the same id. */
function keyOf(threadId: string): string {
  return JSON.stringify([currentService(), threadId]);
}

/** A reloaded or closed page would lose them: the browser asks first. A window of the desktop would just stay open. */
if (desktop === undefined && typeof window !== 'undefined') {
  window.addEventListener('beforeunload', (event) => {
    if (drafts.size > 0) event.preventDefault();
  });
}
