import { IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import './row-check.css';

interface RowCheckProps {
  readonly isSelected: boolean;
  /** `isRange`: from the row selected last to this one. */
  readonly onSelect: (isRange: boolean) => void;
}

/**
 * Selects the row of a virtual list that it is in. It is visible under the mouse, at the cursor, and in every row with
 * `data-selecting`; `data-selected` fills it.
 */
export function RowCheck({ isSelected, onSelect }: RowCheckProps): ReactNode {
  return (
    <span
      className="row-check"
      aria-hidden
      onClick={(event) => {
        event.stopPropagation();
        onSelect(event.shiftKey);
      }}
    >
      {isSelected && <IconCheck size={12} stroke={3} />}
    </span>
  );
}
