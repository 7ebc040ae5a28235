import type { ReactNode } from 'react';
import type { Run } from '../../api/generated/index.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';

/** A run's status; one that waits behind others is queued, with its position. */
export function RunStatus({ run, filled = true }: { run: Run; filled?: boolean }): ReactNode {
  const { queue_position: position } = run;
  return (
    <StatusBadge
      status={position === undefined ? run.status : 'queued'}
      detail={position}
      filled={filled}
    />
  );
}
