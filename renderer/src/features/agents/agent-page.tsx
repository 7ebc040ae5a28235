import { Button, Tabs } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import { listAgentsOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import { usePresets } from '../../api/queries/presets.ts';
import { useQueryMembers } from '../../state/query-members.ts';
import { useCommands } from '../../ui/commands.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListButton } from '../../ui/folded-list.tsx';
import { formatNumber } from '../../ui/format.ts';
import { JsonView } from '../../ui/json/json-view.tsx';
import { AgentProblem } from './agent-problem.tsx';
import { GraphPanel } from './graph-panel.tsx';
import { PresetMenu } from './preset-menu.tsx';
import { PresetPanel } from './preset-panel.tsx';
import { SchemaPanels } from './schema-panels.tsx';

/** One agent: its graph, its schemas, or why it could not be loaded. */
export function Component(): ReactNode {
  const { name = '' } = useParams();
  const { data } = useQuery(listAgentsOptions());
  const [query, write] = useQueryMembers();
  const compose = (): void => write({ compose: '1', for: name });
  const agent = data?.find(({ agent_id: id }) => id === name);
  useCommands([
    {
      id: 'agent.run',
      label: `Run ${name}`,
      keys: 'r',
      group: 'Agents',
      run: compose,
    },
  ]);
  if (data === undefined) return null;
  if (agent === undefined)
    return (
      <EmptyState
        title={`There is no agent ${name}`}
        text="The list has the agents of the folder that the service serves."
      />
    );
  const tab = query.get('show') ?? 'graph';
  return (
    <section className="pane" aria-label={`Agent ${name}`}>
      <header className="detail-head">
        <ListButton />
        <div className="grow">
          <h1>{agent.name}</h1>
          {agent.description !== undefined && <p className="dim">{agent.description}</p>}
        </div>
        <Button.Group>
          <Button
            variant="filled"
            leftSection={<IconPlayerPlay size={14} />}
            disabled={agent.error !== undefined}
            onClick={compose}
          >
            Run this agent
          </Button>
          {agent.error === undefined && <PresetMenu agentId={agent.agent_id} />}
        </Button.Group>
      </header>
      {agent.error !== undefined ? (
        <AgentProblem language={agent.language} error={agent.error} />
      ) : (
        <Tabs
          className="pane"
          value={tab}
          onChange={(value) => write({ show: value ?? 'graph' }, { replace: true })}
          keepMounted={false}
        >
          <Tabs.List>
            <Tabs.Tab value="graph">Graph</Tabs.Tab>
            <Tabs.Tab value="schemas">Schemas</Tabs.Tab>
            <Tabs.Tab value="presets">
              Presets <PresetCount agentId={agent.agent_id} />
            </Tabs.Tab>
            <Tabs.Tab value="about">About</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="graph">
            <GraphPanel key={agent.agent_id} agentId={agent.agent_id} />
          </Tabs.Panel>
          <Tabs.Panel value="schemas">
            <SchemaPanels key={agent.agent_id} agentId={agent.agent_id} />
          </Tabs.Panel>
          <Tabs.Panel value="presets">
            <PresetPanel key={agent.agent_id} agentId={agent.agent_id} />
          </Tabs.Panel>
          <Tabs.Panel value="about">
            <JsonView label="Agent" value={agent} />
          </Tabs.Panel>
        </Tabs>
      )}
    </section>
  );
}

function PresetCount({ agentId }: { agentId: string }): ReactNode {
  const { list } = usePresets(agentId);
  if (list.length === 0) return undefined;
  return <span className="dim numeric">{formatNumber(list.length)}</span>;
}
