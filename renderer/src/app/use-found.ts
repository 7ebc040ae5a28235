import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { listAgentsOptions } from '../api/generated/@tanstack/react-query.gen.ts';
import { isHistoryOff } from '../api/queries/run-history-keys.ts';
import {
  recentThreadsQuery,
  runsWithTextQuery,
  threadsWithTextQuery,
} from '../api/queries/text-search.ts';
import { explainError } from '../ui/explain-error.ts';
import {
  agentEntries,
  allEntry,
  type Entry,
  runEntries,
  searchLimit,
  threadEntries,
  titledThreads,
} from './found-entries.ts';

/** Between two letters of a word a search would only be in the way. */
const pauseMs = 200;
/** One letter finds everything. */
const minLength = 2;

export interface Found {
  readonly entries: readonly Entry[];
  /** What could not be searched, in one line. */
  readonly trouble: string | undefined;
  readonly isSearching: boolean;
}

/** Agents, threads and runs for what is typed in the palette, section by section. */
export function useFound(query: string): Found {
  const typed = query.trim();
  const [text] = useDebouncedValue(typed, pauseMs);
  const isOn = typed.length >= minLength && text.length >= minLength;
  const agents = useQuery({ ...listAgentsOptions(), staleTime: 30_000, retry: false });
  const recent = useQuery(recentThreadsQuery);
  const withText = useQuery({ ...threadsWithTextQuery(text, searchLimit), enabled: isOn });
  const runs = useQuery({ ...runsWithTextQuery(text, searchLimit), enabled: isOn });
  if (typed.length < minLength) return { entries: [], trouble: undefined, isSearching: false };

  const titled = titledThreads(recent.data ?? [], typed);
  const isTitled = new Set(titled.map(({ thread_id }) => thread_id));
  const others = (withText.data ?? []).filter(({ thread_id }) => !isTitled.has(thread_id));
  const foundRuns = runs.data ?? [];
  const q = encodeURIComponent(text);
  // Without a history the list of threads cannot be searched either.
  const canShowAll = withText.data !== undefined;
  return {
    entries: [
      ...agentEntries(agents.data ?? [], typed),
      ...threadEntries(titled, 'Threads'),
      ...(canShowAll ? allEntry('Threads', titled, `/threads?text=${q}`) : []),
      ...threadEntries(others, withThisText),
      ...allEntry(withThisText, others, `/threads?text=${q}`),
      ...runEntries(foundRuns),
      ...allEntry('Runs', foundRuns, `/runs?q=${q}`),
    ],
    trouble: troubleOf([agents.error, recent.error, withText.error, runs.error]),
    isSearching: typed !== text || withText.isFetching || runs.isFetching,
  };
}

const withThisText = 'Threads with this text';

/** The first failure stands for the others: they mostly have one cause. */
function troubleOf(errors: readonly unknown[]): string | undefined {
  const failures = errors.filter((error) => error !== null);
  const [first] = failures;
  if (first === undefined) return undefined;
  const real = failures.find((error) => !isHistoryOff(error));
  if (real === undefined) return 'Messages and runs are not searched: the run history is off.';
  const { what, why } = explainError(real, 'Not everything could be searched');
  return `${what}: ${why}`;
}
