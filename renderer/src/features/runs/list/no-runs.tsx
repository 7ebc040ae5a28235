import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { isHistoryOff } from '../../../api/queries/run-history-keys.ts';
import { useServiceUrl } from '../../../api/queries/service-url.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorView } from '../../../ui/error-view.tsx';
import { PageSkeleton } from '../../../ui/page-skeleton.tsx';

interface NoRunsProps {
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
  readonly onRun: () => void;
}

/** Shown instead of the list: it is being read, could not be read, is off, or is empty. */
export function NoRuns(props: NoRunsProps): ReactNode {
  const { isPending, error, retry, isFiltered, onClear, onRun } = props;
  const url = useServiceUrl();
  if (isHistoryOff(error)) {
    return (
      <EmptyState
        title="The run history is off"
        text={
          <>
            Set <code>history.provider</code> to <code>sqlite</code> or <code>postgresql</code> and
            restart the service to list every run here. The runs of a thread are still on{' '}
            <Link to="/threads">its page</Link>.
          </>
        }
      />
    );
  }
  if (error !== null)
    return <ErrorView error={error} title="The runs could not be read" onRetry={retry} />;
  if (isPending) return <PageSkeleton rows={16} label="Loading the runs" />;
  if (isFiltered) {
    return (
      <EmptyState
        title="No matching runs"
        text="No run has all of these properties."
        action={<Button onClick={onClear}>Clear the filter</Button>}
      />
    );
  }
  return (
    <EmptyState
      title="No runs yet"
      text="Every run of every agent is listed here, whoever started it: its input, result, duration and trace."
      action={
        <Button variant="filled" onClick={onRun}>
          Run an agent
        </Button>
      }
      curl={`curl -s -X POST ${url}/runs -H 'content-type: application/json' -d '{"input": {}}'`}
    />
  );
}
