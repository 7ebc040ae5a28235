import type { SearchAttributeType } from '../server/engine-command.ts';

/** The search attributes by which the thread workflows are indexed. */
export const SEARCH_ATTRIBUTES: Readonly<Record<string, SearchAttributeType>> = {
  ThreadStatus: 'Keyword',
  ThreadMeta: 'KeywordList',
  Ephemeral: 'Bool',
  RunStatus: 'Keyword',
  RunAgent: 'Keyword',
};

/** True for threads that no search finds (`read/thread-query.ts`). */
export const UNLISTED = 'Ephemeral';
