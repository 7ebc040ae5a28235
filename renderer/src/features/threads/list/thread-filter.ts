export const threadStatuses = ['idle', 'busy', 'interrupted', 'error'] as const;

/** What the list shows. It is in the URL, so that a view can be shared and saved. */
export interface ThreadFilter {
  readonly status?: string;
  readonly runStatus?: string;
  readonly agent?: string;
  /** A thread's id, or several. */
  readonly ids: readonly string[];
  readonly metadata: readonly (readonly [key: string, value: string])[];
  /** Words of the threads' runs: inputs, outputs, errors and messages. */
  readonly text?: string;
}

export const noFilter: ThreadFilter = { ids: [], metadata: [] };

/** Reads the filter from the URL. */
export function filterFrom(query: URLSearchParams): ThreadFilter {
  const one = (name: string): string | undefined => query.get(name) || undefined;
  const status = one('status');
  const runStatus = one('run');
  const agent = one('agent');
  const text = one('text');
  return {
    ...(status === undefined ? {} : { status }),
    ...(runStatus === undefined ? {} : { runStatus }),
    ...(agent === undefined ? {} : { agent }),
    ...(text === undefined ? {} : { text }),
    ids: query.getAll('id').filter(Boolean),
    metadata: query
      .getAll('meta')
      .map(pairOf)
      .filter((pair) => pair !== undefined),
  };
}

/** The filter as the query of a URL, always in the same order. */
export function queryOf(filter: ThreadFilter): string {
  const query = new URLSearchParams();
  if (filter.status !== undefined) query.set('status', filter.status);
  if (filter.runStatus !== undefined) query.set('run', filter.runStatus);
  if (filter.agent !== undefined) query.set('agent', filter.agent);
  if (filter.text !== undefined) query.set('text', filter.text);
  for (const id of filter.ids) query.append('id', id);
  for (const [key, value] of filter.metadata) query.append('meta', `${key}=${value}`);
  return query.toString();
}

/** The filter as the body of POST /threads/search: the latest activity first. */
export function searchBody(filter: ThreadFilter): Record<string, unknown> {
  const { status, runStatus, agent, ids, metadata, text } = filter;
  return {
    order_by: 'last_activity_at',
    ...(text === undefined ? {} : { text }),
    ...(status === undefined ? {} : { status }),
    ...(runStatus === undefined ? {} : { run_status: runStatus }),
    ...(agent === undefined ? {} : { agent_id: agent }),
    ...(ids.length === 0 ? {} : { ids }),
    ...(metadata.length === 0 ? {} : { metadata: Object.fromEntries(metadata) }),
  };
}

/** `team=a` is a pair; anything without a key before the sign is not. */
export function pairOf(text: string): readonly [string, string] | undefined {
  const at = text.indexOf('=');
  return at <= 0 ? undefined : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

const threadId = /^(?!\.{1,2}$)[A-Za-z0-9._:~-]{1,200}$/;
const runPart = /_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Words are searched for, which finds ids by their beginning, too; what has digits and signs is an id as a whole. */
function looksLikeId(text: string): boolean {
  return threadId.test(text) && /\d/.test(text) && /[-._:~]/.test(text);
}

/** What of a typed filter is searched for while it is typed: text that is no pair and no id. */
export function wordsIn(typed: string): string | undefined {
  const text = typed.trim();
  const isOther = text.includes('=') || looksLikeId(text.replace(runPart, ''));
  return text === '' || isOther ? undefined : text;
}

/**
 * What was typed, added to the filter: pairs as in `team=billing city=New York`, whose values go on until the next pair;
 * before them a status, an id, or words that are searched for. A run's id is its thread's.
 */
export function withTyped(filter: ThreadFilter, typed: string): ThreadFilter {
  const parts = typed.trim().split(/\s+(?=[^\s=]+=)/);
  return parts.reduce(withPart, filter);
}

function withPart(filter: ThreadFilter, text: string): ThreadFilter {
  const pair = pairOf(text);
  if (pair !== undefined) {
    const others = filter.metadata.filter(([key]) => key !== pair[0]);
    return { ...filter, metadata: [...others, pair] };
  }
  const status = threadStatuses.find((name) => name === text.toLowerCase());
  if (status !== undefined) return { ...filter, status };
  const id = text.replace(runPart, '');
  return looksLikeId(id)
    ? { ...filter, ids: [...new Set([...filter.ids, id])] }
    : { ...filter, text };
}
