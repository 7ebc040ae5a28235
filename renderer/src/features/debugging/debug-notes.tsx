import type { ReactNode } from 'react';
import { languageNames } from '../../ui/language-names.ts';
import type { Language } from './providers.ts';

/** What is different while a debugger is on. */
export function DebugNotes({ language }: { language: Language }): ReactNode {
  const name = languageNames[language];
  const other = languageNames[language === 'python' ? 'javascript' : 'python'];
  return (
    <section>
      <h2>While the debugger is on</h2>
      <ul className="bullets">
        <li>
          All {name} agents run in one process. A breakpoint in one pauses the runs of all of them;{' '}
          {other} agents run as always.
        </li>
        <li>
          Time-outs are lengthened: a run that is paused at a breakpoint is not treated as one that
          hangs.
        </li>
        <li>Runs that were under way when it was switched on finish where they are.</li>
        <li>
          A process that crashes, or whose code was changed, comes up again under the debugger at
          the same port.
        </li>
      </ul>
    </section>
  );
}
