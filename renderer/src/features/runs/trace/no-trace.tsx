import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Run } from '../../../api/generated/types.gen.ts';
import { ApiError } from '../../../api/errors.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorView } from '../../../ui/error-view.tsx';
import { RunErrorDetails } from '../run-error.tsx';
import { isSettled } from '../run-queries.ts';

interface NoTraceProps {
  readonly run: Run;
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly onEvents: () => void;
}

/** Shown instead of a trace: it has not begun, is not kept, or could not be read. What failed is shown all the same. */
export function NoTrace({ run, error, onRetry, onEvents }: NoTraceProps): ReactNode {
  const reason = reasonOf(run, error);
  return (
    <section className="scroll" aria-label="No trace" tabIndex={0}>
      {run.error !== undefined && <RunErrorDetails run={run} error={run.error} />}
      {reason === undefined ? (
        <ErrorView error={error} title="The trace could not be read" onRetry={onRetry} />
      ) : (
        <EmptyState {...reason} action={<Button onClick={onEvents}>Show the events</Button>} />
      )}
    </section>
  );
}

function reasonOf(
  { status }: Run,
  error: Error | null,
): { readonly title: string; readonly text: ReactNode } | undefined {
  const code = error instanceof ApiError ? error.code : undefined;
  if (!isSettled(status) && (error === null || code === 'run_not_found'))
    return { title: 'Not started yet', text: 'Steps and calls will be here as they begin.' };
  if (code === 'history_disabled')
    return {
      title: 'The run history is off',
      text: (
        <>
          Set <code>history.provider</code> to <code>sqlite</code> or <code>postgresql</code> to
          record the steps and calls of each run.
        </>
      ),
    };
  if (error === null || code === 'run_not_found')
    return {
      title: 'No trace of this run is kept',
      text: (
        <>
          It is older than <code>history.retention</code>, was removed for{' '}
          <code>history.max_bytes</code>, or no step of it began.
        </>
      ),
    };
  return undefined;
}
