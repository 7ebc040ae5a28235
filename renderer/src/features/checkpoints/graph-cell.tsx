import type { ReactNode } from 'react';
import type { GraphRow } from './checkpoint-graph.ts';

const laneWidth = 12;
const rowHeight = 26;
const shown = 7;

interface GraphCellProps {
  readonly row: GraphRow;
  readonly laneCount: number;
  /** Further lanes are drawn as one. */
  readonly isRoot: boolean;
  readonly isSelected: boolean;
}

/** The width of the drawing for this number of lanes. */
export function graphWidth(laneCount: number): number {
  return Math.min(laneCount, shown) * laneWidth + 4;
}

/** The lines of descent in one row of the tree, and the checkpoint's dot. */
export function GraphCell({ row, laneCount, isRoot, isSelected }: GraphCellProps): ReactNode {
  const middle = rowHeight / 2;
  const own = laneX(row.lane);
  const passes = row.below.filter((lane) => lane !== row.lane && row.above.includes(lane));
  return (
    <svg className="graph-cell" width={graphWidth(laneCount)} height={rowHeight} aria-hidden="true">
      {passes.map((lane) => (
        <path key={lane} d={`M${laneX(lane)} 0V${rowHeight}`} />
      ))}
      {row.above.includes(row.lane) && <path d={`M${own} 0V${middle}`} />}
      {row.below.includes(row.lane) && <path d={`M${own} ${middle}V${rowHeight}`} />}
      {row.joins.map((lane) => (
        <path
          key={`j${lane}`}
          d={`M${laneX(lane)} 0C${laneX(lane)} ${middle} ${laneX(lane)} ${middle} ${own} ${middle}`}
        />
      ))}
      {row.isCut && <path d={`M${own} ${middle}V${rowHeight}`} strokeDasharray="2 3" />}
      <circle
        className={isRoot ? 'graph-dot' : 'graph-dot graph-dot-sub'}
        data-selected={isSelected || undefined}
        cx={own}
        cy={middle}
        r={isRoot ? 4 : 3}
      />
    </svg>
  );
}

function laneX(lane: number): number {
  return Math.min(lane, shown - 1) * laneWidth + 8;
}
