const drafts = new Map<string, string>();

/** What was written on a thread and not sent; it lasts as long as the page of the studio. */
export function messageDraft(threadId: string): string {
  return drafts.get(threadId) ?? '';
}

/** Keeps it while the reader looks at something else; an empty one is none. */
export function keepMessageDraft(threadId: string, text: string): void {
  if (text === '') drafts.delete(threadId);
  else drafts.set(threadId, text);
}
