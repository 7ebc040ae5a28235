import type { ReactNode } from 'react';
import type { Agent } from '../../api/generated/types.gen.ts';
import { useAgentFolder } from '../../api/queries/agent-folder.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { readTraceback } from '../../ui/traceback/read-traceback.ts';
import { TracebackView } from '../../ui/traceback/traceback-view.tsx';

/** Why an agent could not be loaded, with the traceback of its code. */
export function AgentProblem({ error }: { error: NonNullable<Agent['error']> }): ReactNode {
  const { code, message, traceback } = error;
  const folder = useAgentFolder();
  return (
    <section className="agent-problem" role="alert">
      <h2>This agent could not be loaded</h2>
      <p>{message}</p>
      <p className="dim">
        <code>{code}</code>. Fix the file and save it: with <code>--reload</code> the agent is read
        again at once, otherwise at the next start of the service.
      </p>
      {traceback !== undefined && (
        <div className="agent-traceback">
          <CopyButton value={traceback} label="Copy the traceback" />
          <TracebackView lines={readTraceback(traceback)} folder={folder} />
        </div>
      )}
    </section>
  );
}
