import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import { useKnownHistory } from '../../../api/queries/known-history.ts';
import { useListSearch } from '../../../state/list-search.ts';
import { formatNumber } from '../../../ui/format.ts';
import { chosenTab } from '../thread-links.ts';
import { threadPath } from '../../../state/page-paths.ts';

const tabs = [
  { path: '', label: 'Conversation' },
  { path: 'state', label: 'State' },
  { path: 'runs', label: 'Runs' },
  { path: 'checkpoints', label: 'Checkpoints' },
] as const;

/** The tabs of a thread, each with its own URL. */
export function ThreadTabs({
  threadId,
  runCount,
}: {
  threadId: string;
  runCount: number | undefined;
}): ReactNode {
  const search = useListSearch();
  const history = useKnownHistory(threadId);
  const counts: Readonly<Record<string, string | undefined>> = {
    runs: runCount === undefined ? undefined : formatNumber(runCount),
    checkpoints:
      history && `${formatNumber(history.checkpoints.length)}${history.isComplete ? '' : '+'}`,
  };
  return (
    <nav className="thread-tabs" aria-label="Thread">
      {tabs.map(({ path, label }) => (
        <NavLink
          key={path}
          end={path === ''}
          className="thread-tab"
          to={{ pathname: threadPath(threadId, path), search }}
          state={chosenTab}
        >
          {label}
          {counts[path] !== undefined && (
            <>
              {' '}
              <span className="dim numeric">{counts[path]}</span>
            </>
          )}
        </NavLink>
      ))}
    </nav>
  );
}
