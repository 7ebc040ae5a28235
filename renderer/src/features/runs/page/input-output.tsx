import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Run } from '../../../api/generated/index.ts';
import { runInputQuery } from '../../../api/queries/run-trace.ts';
import { PageSkeleton } from '../../../ui/page-skeleton.tsx';
import { sentRun } from '../../../api/sent-runs.ts';
import { ValueView } from '../value-view.tsx';

/** What a run was created with: as it is recorded, or as it was sent from here. */
export function InputTab({ run }: { run: Run }): ReactNode {
  const input = useQuery(runInputQuery(run.run_id));
  if (input.isPending) return <PageSkeleton label="Loading the input" />;
  const sent = sentRun(run.run_id)?.body;
  const known = input.data ?? sent;
  if (known?.['kind'] === 'proceed' || (known !== undefined && known['input'] === null)) {
    return <p className="hint">No input: the run continued from its thread’s head.</p>;
  }
  const command = known?.['command'];
  const value = command ?? known?.['input'];
  if (value === undefined) {
    return (
      <p className="hint">
        The input of this run is not recorded: the run history is off, records metadata alone, or no
        longer keeps this run.
      </p>
    );
  }
  return <Whole label={command === undefined ? 'Input' : 'Command'} value={value} />;
}

/** What a run returned. */
export function OutputTab({ run }: { run: Run }): ReactNode {
  if (run.output !== undefined) return <Whole label="Output" value={run.output} />;
  return <p className="hint">{noOutput(run)}</p>;
}

/** A value on the whole page; JSON scrolls by itself. */
function Whole({ label, value }: { label: string; value: unknown }): ReactNode {
  return (
    // With the focus the keyboard scrolls it.
    <section className="value-page scroll" aria-label={label} tabIndex={0}>
      <ValueView label={label} value={value} maxHeight="100%" />
    </section>
  );
}

function noOutput({ status }: Run): string {
  switch (status) {
    case 'completed':
      return 'The output of this run is no longer kept: long threads drop old outputs. The state at its checkpoints can still be read.';
    case 'error':
    case 'cancelled':
      return 'A run that did not complete has no output. Its last state is in the state of the thread.';
    default:
      return 'The output will be here when the run has completed.';
  }
}
