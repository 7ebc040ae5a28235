import type { QueryClient } from '@tanstack/react-query';
import { runHistoryKeys } from './run-history-keys.ts';

const all = ['threads'] as const;
const one = (threadId: string) => [...all, 'one', threadId] as const;
const runs = (threadId: string) => [...one(threadId), 'runs'] as const;

/** The query keys of threads: lists of them, and below one key everything that is read of one thread. */
export const threadKeys = {
  all,
  pages: (body: object) => [...all, 'pages', body] as const,
  heads: [...all, 'head'] as const,
  head: (body: object) => [...all, 'head', body] as const,
  seen: (body: object, ids: readonly string[]) => [...all, 'seen', body, ids] as const,
  counts: [...all, 'count'] as const,
  count: (status: string) => [...all, 'count', status] as const,
  waiting: [...all, 'waiting'] as const,
  recent: [...all, 'recent'] as const,
  withText: (text: string, limit: number) => [...all, 'with-text', text, limit] as const,
  ids: (prefix: string) => [...all, 'ids', prefix] as const,

  one,
  values: (threadId: string) => [...one(threadId), 'values'] as const,
  /** Its row in a search: `read` names what is taken from it. */
  row: (threadId: string, read: 'origin' | 'signs' | 'version') =>
    [...one(threadId), 'row', read] as const,
  copiedAgent: (threadId: string, agents: readonly string[]) =>
    [...one(threadId), 'copied-agent', agents] as const,
  /** What it asks, as of its run `after`. */
  questions: (threadId: string, after: string) => [...one(threadId), 'questions', after] as const,
  history: (threadId: string) => [...one(threadId), 'history'] as const,
  messageSources: (threadId: string, newestMessage: string) =>
    [...one(threadId), 'message-sources', newestMessage] as const,

  runs,
  run: (threadId: string, runId: string) => [...runs(threadId), 'one', runId] as const,
  /** What its agent wrote; read once more when the run is over. */
  runLogs: (threadId: string, runId: string, isOver: boolean) =>
    [...threadKeys.run(threadId, runId), 'logs', isOver] as const,
  newestRun: (threadId: string, lastActivity: string) =>
    [...runs(threadId), 'newest', lastActivity] as const,
  runSummary: (threadId: string, version: string) =>
    [...runs(threadId), 'summary', version] as const,
  runPages: (threadId: string) => [...runs(threadId), 'pages'] as const,
  runList: (threadId: string, asOf: string) => [...runs(threadId), 'list', asOf] as const,
};

/** Reads again what a run, a cancellation or an answer changes: the thread, where threads are listed, the history. */
export async function threadChanged(client: QueryClient, threadId: string): Promise<void> {
  const changed = [
    threadKeys.one(threadId),
    threadKeys.heads,
    threadKeys.counts,
    threadKeys.waiting,
    runHistoryKeys.all,
  ];
  await Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })));
}
