import type { SearchAttributeType } from '../server/engine-command.ts';

/** What the thread workflows index themselves by. */
export const SEARCH_ATTRIBUTES: Readonly<Record<string, SearchAttributeType>> = {
  ThreadStatus: 'Keyword',
  ThreadMeta: 'KeywordList',
  Ephemeral: 'Bool',
  RunStatus: 'Keyword',
  RunAgent: 'Keyword',
};
