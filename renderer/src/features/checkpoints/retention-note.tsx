import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { infoQuery } from '../../api/queries/health.ts';

/** How many checkpoints the service keeps of each run, with the setting for it; nothing when it does not report it. */
export function RetentionNote({ isComplete }: { isComplete: boolean }): ReactNode {
  const { data } = useQuery(infoQuery);
  const kept = keptPerRun(data);
  if (kept === undefined) return null;
  return (
    <p className={kept === 1 ? 'note small' : 'hint small'}>
      <span>
        {isComplete && 'Nothing older is retained. '}
        {kept === 1
          ? 'Of each run only the newest checkpoint is kept, so its steps cannot be compared.'
          : `Of each run and sub-graph the newest ${kept} checkpoints are kept.`}{' '}
        <code>SERVICE_ENGINE_MAX_CHECKPOINT_HISTORY</code>{' '}
        {kept === 1 ? 'keeps more, for example 50.' : 'changes that.'}
      </span>
    </p>
  );
}

function keptPerRun(info: Readonly<Record<string, unknown>> | undefined): number | undefined {
  const flags = info?.['flags'];
  if (typeof flags !== 'object' || flags === null || !('max_checkpoint_history' in flags))
    return undefined;
  const kept = flags.max_checkpoint_history;
  return typeof kept === 'number' ? kept : undefined;
}
