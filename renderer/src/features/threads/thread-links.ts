/** Where a thread's page is; the list's filters stay in the address. */
export function threadPath(threadId: string, tab = ''): string {
  return `/threads/${encodeURIComponent(threadId)}${tab === '' ? '' : `/${tab}`}`;
}
