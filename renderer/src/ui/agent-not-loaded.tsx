import { agentPath } from '../state/page-paths.ts';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import './agent-not-loaded.css';

/** A line about an agent that could not be loaded, with the link to its page, which has what helps. */
export function AgentNotLoaded(props: { agentId: string; message: string }): ReactNode {
  const { agentId, message } = props;
  return (
    <span className="agent-not-loaded row small is-warning">
      <IconAlertTriangle size={14} aria-hidden />
      <span>
        {agentId} is not loaded: {message} <Link to={agentPath(agentId)}>What helps</Link>
      </span>
    </span>
  );
}
