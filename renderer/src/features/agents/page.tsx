import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Outlet, useNavigate, useParams } from 'react-router';
import { listAgentsOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import type { Agent } from '../../api/generated/types.gen.ts';
import { useServiceUrl } from '../../api/queries/service-url.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { OpenInstead } from '../../ui/open-instead.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { SplitPane } from '../../ui/split-pane.tsx';
import { VirtualList } from '../../ui/virtual-list/virtual-list.tsx';
import './agents.css';
import { ManifestNotes } from './manifest-notes.tsx';
import { agentPath } from '../../state/page-paths.ts';

const idOf = ({ agent_id: id }: Agent): string => id;
const commands = { group: 'Agents', next: 'Next agent', previous: 'Previous agent' };

/** The agents of the folder, in the manifest's order, and the one that is chosen. */
export function Component(): ReactNode {
  const { name } = useParams();
  const serviceUrl = useServiceUrl();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery({ ...listAgentsOptions(), refetchInterval: 5_000 });
  const current = name ?? data?.[0]?.agent_id;
  const open = ({ agent_id: id }: Agent): void => void navigate(agentPath(id), { replace: true });
  if (error !== null && data === undefined)
    return (
      <ErrorView
        error={error}
        title="The agents could not be read"
        onRetry={() => void refetch()}
      />
    );
  if (data === undefined) return <PageSkeleton label="Reading the agents" />;
  const [first] = data;
  if (first === undefined)
    return (
      <EmptyState
        title="No agents"
        text="The manifest of the folder (agent.json) names graphs; each is an agent here."
        curl={`curl ${serviceUrl}/agents`}
      />
    );
  return (
    <SplitPane
      name="agents"
      label="Width of the list"
      initial={320}
      min={240}
      max={480}
      narrow={name === undefined ? 'first' : 'second'}
      narrowBelow={950}
      list="agents"
      first={
        <div className="pane">
          <header className="pane-head">
            <h1>Agents</h1>
            <span className="dim">{data.length}</span>
          </header>
          <ManifestNotes />
          <VirtualList
            label="Agents"
            items={data}
            idOf={idOf}
            rowHeight={48}
            currentId={current}
            onMove={open}
            onOpen={open}
            commands={commands}
            renderRow={(agent, index) => (
              <AgentRow agent={agent} isDefault={index === 0} onOpen={() => open(agent)} />
            )}
          />
        </div>
      }
      // Without an agent in the URL the first one is opened.
      second={name === undefined ? <OpenInstead to={agentPath(first.agent_id)} /> : <Outlet />}
    />
  );
}

interface AgentRowProps {
  readonly agent: Agent;
  readonly isDefault: boolean;
  readonly onOpen: () => void;
}

function AgentRow({ agent, isDefault, onOpen }: AgentRowProps): ReactNode {
  const { name, description, error } = agent;
  return (
    <div className="agent-row pane-row" onClick={onOpen}>
      <span className="row">
        <strong>{name}</strong>
        {isDefault && <span className="tag">default</span>}
        {error !== undefined && (
          <span className="row small is-warning">
            <IconAlertTriangle size={14} aria-hidden /> not loaded
          </span>
        )}
      </span>
      <span className="clip dim small">{error?.message ?? description}</span>
    </div>
  );
}
