import type { ReactNode } from 'react';
import type { Run } from '../../api/generated/index.ts';
import { formatDuration, formatUtc } from '../../ui/format.ts';
import { isSettled } from './run-queries.ts';
import { useTicking } from './use-ticking.ts';

/** How long a run took, or takes so far, ticking. */
export function RunDuration({
  run,
  clockOffset = 0,
}: {
  run: Run;
  clockOffset?: number;
}): ReactNode {
  const isOver = isSettled(run.status);
  const now = useTicking(isOver ? undefined : 100);
  const end = isOver ? Date.parse(run.updated_at) : now + clockOffset;
  const startedAt = Date.parse(run.created_at);
  return (
    <time className="run-duration numeric" title={`started ${formatUtc(run.created_at)}`}>
      {isOver ? formatDuration(end - startedAt) : clock(end - startedAt)}
    </time>
  );
}

/** 00:04.2: digits that do not move while they change. */
function clock(ms: number): string {
  const tenths = Math.max(0, Math.floor(ms / 100));
  const seconds = Math.floor(tenths / 10) % 60;
  const minutes = Math.floor(tenths / 600);
  return `${String(minutes).padStart(2, '0')}:${String(seconds).padStart(2, '0')}.${tenths % 10}`;
}
