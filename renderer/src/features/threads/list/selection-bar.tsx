import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatNumber } from '../../../ui/format.ts';

interface SelectionBarProps {
  readonly count: number;
  readonly loaded: number;
  readonly onAll: () => void;
  readonly onNone: () => void;
  readonly onDelete: () => void;
}

/** The actions for the selected threads. */
export function SelectionBar({
  count,
  loaded,
  onAll,
  onNone,
  onDelete,
}: SelectionBarProps): ReactNode {
  return (
    <div className="toolbar" role="toolbar" aria-label="Selected threads">
      <span aria-live="polite">{formatNumber(count)} selected</span>
      {count < loaded && (
        <Button size="compact-xs" variant="subtle" onClick={onAll}>
          Select all {formatNumber(loaded)} listed
        </Button>
      )}
      <span className="grow" />
      <Button size="compact-xs" variant="subtle" onClick={onNone}>
        Clear
      </Button>
      <Button size="compact-xs" color="red" variant="light" onClick={onDelete}>
        Delete {formatNumber(count)}
      </Button>
    </div>
  );
}
