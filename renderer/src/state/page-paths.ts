// The paths of pages about one thing. A page of its own, such as `/settings`, is named where it is linked to.

/** A thread's page, or a tab of it. */
export function threadPath(threadId: string, tab = ''): string {
  return `/threads/${encodeURIComponent(threadId)}${tab === '' ? '' : `/${tab}`}`;
}

/** A run's page. */
export function runPath(run: { readonly thread_id: string; readonly run_id: string }): string {
  // The id of a run ends with its own part; the thread's is in the path already.
  return threadPath(run.thread_id, `runs/${encodeURIComponent(run.run_id.slice(-36))}`);
}

/** The page that compares two runs. */
export function comparePath(a: string, b: string): string {
  return `/runs/compare?${new URLSearchParams({ a, b }).toString()}`;
}

/** An agent's page. */
export function agentPath(agentId: string): string {
  return `/agents/${encodeURIComponent(agentId)}`;
}
