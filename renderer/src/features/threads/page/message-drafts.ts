const drafts = new Map<string, string>();

/** The unsent message of a thread; it is kept until the studio is closed. */
export function messageDraft(threadId: string): string {
  return drafts.get(threadId) ?? '';
}

/** Keeps it while another page is open; an empty one is none. */
export function keepMessageDraft(threadId: string, text: string): void {
  if (text === '') drafts.delete(threadId);
  else drafts.set(threadId, text);
}
