import type { ReactNode } from 'react';
import type { Agent } from '../../api/generated/types.gen.ts';
import { useAgentFolder } from '../../api/queries/agent-folder.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { readTraceback } from '../../ui/traceback/read-traceback.ts';
import { TracebackView } from '../../ui/traceback/traceback-view.tsx';
import { WaysOut } from './ways-out.tsx';

type AgentError = NonNullable<Agent['error']>;

/** Why an agent could not be loaded, what helps, and the traceback of its code. */
export function AgentProblem(props: Pick<Agent, 'language'> & { error: AgentError }): ReactNode {
  const { code, message, traceback } = props.error;
  const folder = useAgentFolder();
  return (
    <section className="agent-problem callout stack" data-tone="interrupted" role="alert">
      <h2>This agent could not be loaded</h2>
      <p>
        {message} <code className="dim">{code}</code>
      </p>
      <WaysOut {...props} />
      {traceback !== undefined && (
        <div className="code-box agent-traceback">
          <CopyButton value={traceback} label="Copy the traceback" />
          <TracebackView lines={readTraceback(traceback)} folder={folder} />
        </div>
      )}
    </section>
  );
}
