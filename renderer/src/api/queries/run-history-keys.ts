import { ApiError } from '../errors.ts';

/** True where the service keeps no history: then it is not asked again and again. */
export function isHistoryOff(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'history_disabled';
}

/** The query keys of the run history. */
export const runHistoryKeys = {
  all: ['run-history'] as const,
  pages: (body: object) => [...runHistoryKeys.all, 'pages', body] as const,
  head: (body: object) => [...runHistoryKeys.all, 'head', body] as const,
  facets: (body: object) => [...runHistoryKeys.all, 'facets', body] as const,
  stats: (query: object) => [...runHistoryKeys.all, 'stats', query] as const,
  nodes: (query: object) => [...runHistoryKeys.all, 'nodes', query] as const,
  withText: (text: string, limit: number) =>
    [...runHistoryKeys.all, 'with-text', text, limit] as const,
  trace: (runId: string) => [...runHistoryKeys.all, 'trace', runId] as const,
  input: (runId: string) => [...runHistoryKeys.all, 'input', runId] as const,
  body: (runId: string) => [...runHistoryKeys.all, 'body', runId] as const,
};
