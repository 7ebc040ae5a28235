import { useLocation, useSearchParams } from 'react-router';

/** The members of a URL's query that filter the list of threads, without those of a tab. */
const listParams = ['status', 'run', 'agent', 'id', 'meta'];

/**
 * What the list of threads is filtered by, as the query of a link to a thread: the list stays as it is. Other pages
 * have filters of the same names, which are not the list's.
 */
export function useListSearch(more: Readonly<Record<string, string>> = {}): string {
  const [params] = useSearchParams();
  const isInThreads = useLocation().pathname.startsWith('/threads/');
  const listQuery = new URLSearchParams([
    ...[...params].filter(([name]) => isInThreads && listParams.includes(name)),
    ...Object.entries(more),
  ]);
  return listQuery.size === 0 ? '' : `?${listQuery.toString()}`;
}
