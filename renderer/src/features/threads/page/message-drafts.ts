import { currentService } from '../../../api/desktop-service.ts';

const drafts = new Map<string, string>();

/** The unsent message of a thread of the current service; it is kept until the studio is closed. */
export function messageDraft(threadId: string): string {
  return drafts.get(keyOf(threadId)) ?? '';
}

/** Keeps it while another page is open; an empty one is none. */
export function keepMessageDraft(threadId: string, text: string): void {
  if (text === '') drafts.delete(keyOf(threadId));
  else drafts.set(keyOf(threadId), text);
}

/** Another service may have a thread of the same id. */
function keyOf(threadId: string): string {
  return JSON.stringify([currentService(), threadId]);
}
