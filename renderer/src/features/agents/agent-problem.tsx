import type { ReactNode } from 'react';
import type { Agent } from '../../api/generated/types.gen.ts';
import { CopyButton } from '../../ui/copy-button.tsx';

/** Why an agent could not be loaded, with the traceback of its code. */
export function AgentProblem({ error }: { error: NonNullable<Agent['error']> }): ReactNode {
  const { code, message, traceback } = error;
  return (
    <section className="agent-problem" role="alert">
      <h2>This agent could not be loaded</h2>
      <p>{message}</p>
      <p className="dim">
        <code>{code}</code>. Mend the file and save it: with <code>--reload</code> the agent is read
        again at once, otherwise at the next start of the service.
      </p>
      {traceback !== undefined && (
        <div className="agent-traceback">
          <CopyButton value={traceback} label="Copy the traceback" />
          <pre tabIndex={0} aria-label="Traceback">
            {traceback}
          </pre>
        </div>
      )}
    </section>
  );
}
