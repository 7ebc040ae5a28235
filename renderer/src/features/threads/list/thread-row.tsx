import { useQuery } from '@tanstack/react-query';
import { memo, type ReactNode } from 'react';
import type { Thread } from '../../../api/generated/types.gen.ts';
import { RowCheck } from '../../../ui/row-check.tsx';
import { FittedId } from '../../../ui/short-id.tsx';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { Elapsed, TimeAgo } from '../../../ui/time-ago.tsx';
import { rowRunsQuery } from '../queries.ts';

interface ThreadRowProps {
  readonly thread: Thread;
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  readonly isSelecting: boolean;
  readonly onOpen: (threadId: string) => void;
  /** `isRange`: from the row selected last to this one. */
  readonly onSelect: (threadId: string, isRange: boolean) => void;
}

/** One thread on one line: title or id, agent and metadata, status, time of the last activity. */
export const ThreadRow = memo(function ThreadRow(props: ThreadRowProps): ReactNode {
  const { thread, isOpen, isSelected, isSelecting, onOpen, onSelect } = props;
  const { thread_id: id, status, metadata: all, updated_at, title, agent_id: agent } = thread;
  const { title: _, ...metadata } = all;
  const isBare = agent === undefined && Object.keys(metadata).length === 0;
  return (
    <div
      className="thread-row pane-row"
      data-open={isOpen || undefined}
      data-selected={isSelected || undefined}
      data-selecting={isSelecting || undefined}
      data-bare={isBare || undefined}
      onClick={(event) => {
        if (event.shiftKey || event.ctrlKey || event.metaKey) onSelect(id, event.shiftKey);
        else onOpen(id);
      }}
    >
      <RowCheck isSelected={isSelected} onSelect={(isRange) => onSelect(id, isRange)} />
      {title === undefined ? <FittedId id={id} /> : <Title title={title} id={id} />}
      <Metadata agent={agent} metadata={metadata} />
      {status === 'busy' ? <Busy threadId={id} /> : <StatusBadge status={status} />}
      <span className="thread-row-time dim small numeric">
        {thread.last_activity_at === undefined ? (
          // Searches return when a thread was created (Spec: POST /threads/search).
          <TimeAgo time={updated_at} isShort what="Made" />
        ) : (
          <TimeAgo time={thread.last_activity_at} isShort what="Last activity" />
        )}
      </span>
    </div>
  );
});

function Title({ title, id }: { title: string; id: string }): ReactNode {
  return (
    <span className="thread-row-title" title={`${title}\n${id}`}>
      {title}
    </span>
  );
}

interface MetadataProps {
  readonly agent: string | undefined;
  readonly metadata: Thread['metadata'];
}

function Metadata({ agent, metadata }: MetadataProps): ReactNode {
  const pairs = Object.entries(metadata).map(([key, value]) => `${key}=${value}`);
  const lines = agent === undefined ? pairs : [agent, ...pairs];
  if (lines.length === 0) return null;
  return (
    <span className="thread-row-metadata dim small" title={lines.join('\n')}>
      {lines.join('  ')}
    </span>
  );
}

/** How long its run has been running; its runs are fetched once, while the row is visible. */
function Busy({ threadId }: { threadId: string }): ReactNode {
  const { data } = useQuery(rowRunsQuery(threadId));
  const active = data?.active;
  return (
    <StatusBadge status="busy" detail={active && <Elapsed since={active.created_at} isShort />} />
  );
}
