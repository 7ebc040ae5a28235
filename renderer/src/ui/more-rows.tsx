import { Button } from '@mantine/core';
import type { ReactNode } from 'react';

interface MoreRowsProps {
  /** There are more than are listed. */
  readonly hasMore: boolean;
  /** The next ones could not be read; they are not asked for again by themselves. */
  readonly isFailed: boolean;
  readonly onRetry: () => void;
}

/** The end of a list that is read page by page. */
export function MoreRows({ hasMore, isFailed, onRetry }: MoreRowsProps): ReactNode {
  if (isFailed) {
    return (
      <p className="hint" role="alert">
        The next rows could not be read.{' '}
        <Button size="compact-xs" onClick={onRetry}>
          Try again
        </Button>
      </p>
    );
  }
  return hasMore && <p className="hint">Reading more…</p>;
}
