/** Where a thread's page is; the list's filters stay in the address. */
export function threadPath(threadId: string, tab = ''): string {
  return `/threads/${encodeURIComponent(threadId)}${tab === '' ? '' : `/${tab}`}`;
}

/** What makes a thread from a terminal. */
export function newThreadLine(url: string): string {
  return `curl -s ${url}/threads -H 'content-type: application/json' -d '{"thread_id": "demo"}'`;
}
