/** The shell command that creates a thread. */
export function newThreadLine(url: string): string {
  return `curl -s ${url}/threads -H 'content-type: application/json' -d '{"thread_id": "demo"}'`;
}

/** The state of a location that a tab of the thread has led to, and not a link to the thread. */
export const chosenTab = 'chosen tab';
