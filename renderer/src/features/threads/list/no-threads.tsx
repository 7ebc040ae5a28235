import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorView } from '../../../ui/error-view.tsx';
import { PageSkeleton } from '../../../ui/page-skeleton.tsx';
import { useServiceUrl } from '../../../api/queries/service-url.ts';
import { newThreadLine } from '../thread-links.ts';
import { noFilter, queryOf, type ThreadFilter } from './thread-filter.ts';

interface NoThreadsProps {
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
  readonly filter: ThreadFilter;
  readonly onCreate: () => void;
  readonly onClear: () => void;
}

/** Shown instead of the list: it is being read, could not be read, or is empty. */
export function NoThreads({
  isPending,
  error,
  retry,
  filter,
  onCreate,
  onClear,
}: NoThreadsProps): ReactNode {
  const url = useServiceUrl();
  if (error !== null) {
    return (
      <ErrorView error={error} title="The threads could not be read" onRetry={retry} compact />
    );
  }
  if (isPending) return <PageSkeleton rows={12} label="Reading threads" />;
  if (queryOf(filter) !== queryOf(noFilter)) {
    return (
      <EmptyState
        title="No matching threads"
        text={
          filter.ids.length > 0
            ? 'Only whole ids match, and a thread matches only with all of these properties.'
            : 'No thread has all of these properties.'
        }
        action={<Button onClick={onClear}>Clear the filter</Button>}
      />
    );
  }
  return (
    <EmptyState
      title="No threads yet"
      text="A thread is a conversation that remembers: its runs, their state and every checkpoint will be here."
      action={
        <Button variant="filled" onClick={onCreate}>
          New thread
        </Button>
      }
      curl={newThreadLine(url)}
    />
  );
}
