import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { formatNumber } from '../../ui/format.ts';
import { openRuns, type BundleThread } from './bundle-threads.ts';

/** Agents that are named. */
const named = 10;

/** What importing does and what it trusts, in plain words. */
export function ImportConsequences({ threads }: { threads: readonly BundleThread[] }): ReactNode {
  const open = threads.reduce((all, thread) => all + openRuns(thread), 0);
  const agents = [...new Set(threads.flatMap((thread) => thread.agents))];
  return (
    <section aria-labelledby="bundle-import-does">
      <h2 id="bundle-import-does">What importing does</h2>
      <ul>
        <li>{whatBecomesOf(open)}</li>
        <li>
          The thread and its runs keep their ids. Under another id it becomes a second thread, and
          its runs get new ids.
        </li>
        <li>
          The thread belongs to you, whoever owned it before. What runs on it later runs as whoever
          starts it.
        </li>
        <li>
          The code of agents is not in the file.
          {agents.length > 0 && (
            <>
              {' '}
              To go on, the thread needs these agents here:{' '}
              <ForeignText text={agents.slice(0, named).join(', ')} />.
            </>
          )}
        </li>
        <li>
          Stored values become objects of known types only; everything else stays data. Nothing runs
          because a file names it.
        </li>
      </ul>
      <p className="bundle-warning">
        <IconAlertTriangle size={16} aria-hidden />
        <span>
          Its texts, such as prompts, messages and results of tools, go to models and tools when
          somebody continues the thread. Import it only if you trust whoever gave it to you.
        </span>
      </p>
    </section>
  );
}

function whatBecomesOf(open: number): string {
  if (open === 0) return 'All runs had ended. Nothing runs because of the import.';
  const what =
    open === 1
      ? 'The run that had not ended is'
      : `The ${formatNumber(open)} runs that had not ended are`;
  return `${what} cancelled; what was saved stays. Nothing runs because of the import.`;
}
