import { useSearchParams } from 'react-router';

/** The members of an address that filter the list of threads; what belongs to a tab is not among them. */
const listParams = ['status', 'run', 'agent', 'id', 'meta'];

/** What the list of threads is filtered by, as the query of a link within a thread: the list stays as it is. */
export function useListSearch(more: Readonly<Record<string, string>> = {}): string {
  const [params] = useSearchParams();
  const kept = new URLSearchParams([
    ...[...params].filter(([name]) => listParams.includes(name)),
    ...Object.entries(more),
  ]);
  return kept.size === 0 ? '' : `?${kept.toString()}`;
}
