import type { ReactNode } from 'react';
import { NavLink, useSearchParams } from 'react-router';
import { formatNumber } from '../../../ui/format.ts';
import { threadPath } from '../thread-links.ts';

const tabs = [
  { path: '', label: 'Conversation' },
  { path: 'state', label: 'State' },
  { path: 'runs', label: 'Runs' },
  { path: 'checkpoints', label: 'Checkpoints' },
] as const;

/** What the list is filtered by stays in the address; what belongs to a tab does not. */
const listParams = ['status', 'run', 'agent', 'id', 'meta'];

/** The tabs of a thread, each with an address of its own. */
export function ThreadTabs({
  threadId,
  runCount,
}: {
  threadId: string;
  runCount: number | undefined;
}): ReactNode {
  const [params] = useSearchParams();
  const kept = new URLSearchParams([...params].filter(([name]) => listParams.includes(name)));
  const search = kept.size === 0 ? '' : `?${kept.toString()}`;
  return (
    <nav className="thread-tabs" aria-label="Thread">
      {tabs.map(({ path, label }) => (
        <NavLink
          key={path}
          end={path === ''}
          className="thread-tab"
          to={{ pathname: threadPath(threadId, path), search }}
        >
          {label}
          {path === 'runs' && runCount !== undefined && (
            <span className="thread-tab-count">{formatNumber(runCount)}</span>
          )}
        </NavLink>
      ))}
    </nav>
  );
}
