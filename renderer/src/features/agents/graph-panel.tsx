import { NativeSelect, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { isLastTime, lastTimes } from '../../api/last-times.ts';
import { agentGraphQuery } from '../../api/queries/agent-graph.ts';
import { nodeStatsQuery } from '../../api/queries/node-stats.ts';
import { isHistoryOff } from '../../api/queries/run-history-keys.ts';
import { useQueryMembers } from '../../state/query-members.ts';
import { AgentGraph } from '../../ui/agent-graph/agent-graph.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { useLiveRun } from './use-live-run.ts';
import { runPath } from '../../state/page-paths.ts';

/**
 * An agent's graph with the figures of each node; the active nodes of its newest run are highlighted. A switch shows
 * sub-graphs as single nodes.
 */
export function GraphPanel({ agentId }: { agentId: string }): ReactNode {
  const [isDeep, setDeep] = useState(true);
  const live = useLiveRun(agentId);
  const deep = useQuery(agentGraphQuery(agentId));
  const figures = useFigures(agentId);
  const flat = useQuery(agentGraphQuery(agentId, { depth: 0 }));
  if (deep.error !== null)
    return (
      <ErrorView
        error={deep.error}
        title="The graph could not be read"
        onRetry={() => void deep.refetch()}
      />
    );
  if (deep.data === undefined) return <PageSkeleton label="Reading the graph" />;
  const hasSubgraphs = flat.data?.nodes.some(({ type }) => type === 'subgraph') ?? false;
  return (
    <AgentGraph
      graph={isDeep ? deep.data : (flat.data ?? deep.data)}
      label={`Graph of ${agentId}`}
      outline="visible"
      activeNodes={live?.nodes}
      figures={figures.ofNodes}
      {...((hasSubgraphs || live !== undefined || figures.choice !== undefined) && {
        corner: (
          <div className="row">
            {figures.choice}
            {live !== undefined && (
              <Link to={runPath(live.run)}>Running on thread {live.run.thread_id}</Link>
            )}
            {hasSubgraphs && (
              <Switch
                label="Sub-graphs"
                checked={isDeep}
                onChange={(event) => setDeep(event.currentTarget.checked)}
              />
            )}
          </div>
        ),
      })}
    />
  );
}

/** The figures of the chosen time, and the choice; without a run history neither. */
function useFigures(agentId: string) {
  const [query, write] = useQueryMembers();
  const chosen = query.get('figures') ?? '24h';
  const lastMs = isLastTime(chosen) ? lastTimes[chosen].ms : undefined;
  const { data, error } = useQuery({
    ...nodeStatsQuery(agentId, lastMs ?? 0),
    enabled: lastMs !== undefined,
  });
  const ofNodes = useMemo(
    () =>
      lastMs === undefined || data === undefined
        ? undefined
        : new Map(
            data.nodes.map(({ node, p50_ms, p95_ms, ...counts }) => [
              node,
              { ...counts, p50Ms: p50_ms, p95Ms: p95_ms },
            ]),
          ),
    [data, lastMs],
  );
  if (isHistoryOff(error)) return {};
  const choice = (
    <>
      <NativeSelect
        aria-label="Figures"
        size="xs"
        value={lastMs === undefined ? 'none' : chosen}
        onChange={(event) => write({ figures: event.currentTarget.value }, { replace: true })}
      >
        {Object.entries(lastTimes).map(([name, { label }]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
        <option value="none">No figures</option>
      </NativeSelect>
      {ofNodes !== undefined && data !== undefined && (
        <span className="dim numeric">
          {data.is_capped ? `newest ${data.runs} runs` : runsText(data.runs)}
        </span>
      )}
    </>
  );
  return { ofNodes, choice };
}

function runsText(runs: number): string {
  if (runs === 0) return 'no runs';
  return runs === 1 ? '1 run' : `${runs} runs`;
}
