import { Button } from '@mantine/core';
import { IconGitCompare } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { formatNumber } from '../../../ui/format.ts';
import { comparePath } from '../../../state/page-paths.ts';

interface RunsSelectionProps {
  readonly ids: readonly string[];
  readonly onNone: () => void;
  readonly onDelete: (ids: readonly string[]) => void;
}

/** The actions for the selected runs: any two can be compared. */
export function RunsSelection({ ids, onNone, onDelete }: RunsSelectionProps): ReactNode {
  const navigate = useNavigate();
  // The older one first: what changed is read from it to the newer one.
  const [a = '', b = ''] = ids.toSorted((x, y) => x.slice(-36).localeCompare(y.slice(-36)));
  return (
    <div className="toolbar" role="toolbar" aria-label="Selected runs">
      <span aria-live="polite">{formatNumber(ids.length)} selected</span>
      <Button
        size="compact-xs"
        leftSection={<IconGitCompare size={13} aria-hidden />}
        disabled={ids.length !== 2}
        onClick={() => void navigate(comparePath(a, b))}
      >
        Compare
      </Button>
      {ids.length !== 2 && <span className="dim">Select two runs to compare</span>}
      <span className="grow" />
      <Button size="compact-xs" variant="subtle" onClick={onNone}>
        Clear
      </Button>
      <Button size="compact-xs" color="red" variant="light" onClick={() => onDelete(ids)}>
        Delete {formatNumber(ids.length)}
      </Button>
    </div>
  );
}
