import type { ReactNode } from 'react';
import type { GraphData } from './graph-data.ts';
import { shownName } from './graph-layout.ts';
import { type GraphFigures, wholeFigures } from './node-figures.ts';

interface GraphOutlineProps {
  readonly graph: GraphData;
  readonly active: ReadonlySet<string>;
  readonly failed: string | undefined;
  readonly figures?: GraphFigures | undefined;
}

/** The same graph as text: every node with its edges. */
export function GraphOutline({ graph, active, failed, figures }: GraphOutlineProps): ReactNode {
  const names = new Map(graph.nodes.map((node) => [node.id, shownName(node)]));
  return (
    <ul className="graph-outline" aria-label="Nodes">
      {graph.nodes
        .filter(({ type }) => type !== 'end')
        .map((node) => {
          const counted = figures?.get(node.id);
          const targets = graph.edges.filter(({ source }) => source === node.id);
          return (
            <li key={node.id} data-active={active.has(node.id) || undefined}>
              <strong>{shownName(node)}</strong>
              {active.has(node.id) && <em> running</em>}
              {node.id === failed && <em data-failed> failed</em>}
              {targets.length > 0 && (
                <span>
                  {' → '}
                  {targets
                    .map(
                      ({ target, conditional, label }) =>
                        `${names.get(target) ?? target}${label === undefined ? '' : ` (${label})`}${conditional ? ' ?' : ''}`,
                    )
                    .join(', ')}
                </span>
              )}
              {counted !== undefined && (
                <small data-failed={counted.errors > 0 || undefined}>{wholeFigures(counted)}</small>
              )}
            </li>
          );
        })}
    </ul>
  );
}
