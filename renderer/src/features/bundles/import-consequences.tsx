import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { formatNumber } from '../../ui/format.ts';
import { openRuns, type BundleThread } from './bundle-threads.ts';

/** The number of agents that are listed. */
const named = 10;

/** What importing does and what it trusts. */
export function ImportConsequences({ threads }: { threads: readonly BundleThread[] }): ReactNode {
  const open = threads.reduce((all, thread) => all + openRuns(thread), 0);
  const agents = [...new Set(threads.flatMap((thread) => thread.agents))];
  return (
    <section aria-labelledby="bundle-import-does">
      <h2 id="bundle-import-does">What importing does</h2>
      <ul className="bullets">
        <li>{effectOnRuns(open)}</li>
        <li>
          The thread and its runs keep their ids. Under another id it becomes a second thread, and
          its runs get new ids.
        </li>
        <li>
          The thread belongs to you, not to its former owner. Later runs on it run as the principal
          that starts them.
        </li>
        <li>
          The code of agents is not in the file.
          {agents.length > 0 && (
            <>
              {' '}
              To continue, the thread needs these agents here:{' '}
              <ForeignText text={agents.slice(0, named).join(', ')} />.
            </>
          )}
        </li>
        <li>
          Stored values become objects of known types only; everything else stays data. Nothing runs
          because a file names it.
        </li>
      </ul>
      <p className="note">
        <IconAlertTriangle size={16} aria-hidden />
        <span>
          Its texts, such as prompts, messages and results of tools, go to models and tools when the
          thread is continued. Import it only if you trust its source.
        </span>
      </p>
    </section>
  );
}

function effectOnRuns(open: number): string {
  if (open === 0) return 'All runs had ended. Nothing runs because of the import.';
  const what =
    open === 1
      ? 'The run that had not ended is'
      : `The ${formatNumber(open)} runs that had not ended are`;
  return `${what} cancelled; what was saved stays. Nothing runs because of the import.`;
}
