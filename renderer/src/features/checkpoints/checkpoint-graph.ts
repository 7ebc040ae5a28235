import type { Checkpoint } from './checkpoint.ts';

/** One row of the tree: its own lane, and the lines that pass or join it. */
export interface GraphRow {
  readonly lane: number;
  /** Lanes that pass the row, or end at its dot from above. */
  readonly above: readonly number[];
  readonly below: readonly number[];
  /** Lanes from above that join this row's dot: branches that started here. */
  readonly joins: readonly number[];
  /** The line below leads to a checkpoint that is no longer retained. */
  readonly isCut: boolean;
}

export interface CheckpointGraph {
  readonly rows: readonly GraphRow[];
  readonly laneCount: number;
}

/** Lays out checkpoints, newest first, as lines of descent: forks and sub-graphs get lanes next to their origin. */
export function layOutGraph(checkpoints: readonly Checkpoint[]): CheckpointGraph {
  const known = new Set(checkpoints.map(({ id }) => id));
  /** By lane, the checkpoint that its line leads down to. */
  const lanes: (string | undefined)[] = [];
  let laneCount = 1;
  const occupied = (): number[] => lanes.flatMap((id, lane) => (id === undefined ? [] : [lane]));
  const rows = checkpoints.map((checkpoint): GraphRow => {
    const above = occupied();
    const waiting = above.filter((lane) => lanes[lane] === checkpoint.id);
    const lane = waiting[0] ?? freeLane(lanes, checkpoint.ns === '' ? 0 : 1);
    for (const joined of waiting) lanes[joined] = undefined;
    const origin = checkpoint.parentId ?? checkpoint.outerId;
    const isKnown = origin !== undefined && known.has(origin);
    lanes[lane] = isKnown ? origin : undefined;
    const below = occupied();
    laneCount = Math.max(laneCount, lane + 1, ...below.map((each) => each + 1));
    return {
      lane,
      above,
      below,
      joins: waiting.slice(1),
      isCut: !isKnown && (checkpoint.step ?? -1) > -1,
    };
  });
  return { rows, laneCount };
}

function freeLane(lanes: readonly (string | undefined)[], from: number): number {
  for (let lane = from; ; lane += 1) if (lanes[lane] === undefined) return lane;
}

/** The checkpoint and those it descends from within its namespace, oldest first. */
export function branchOf(checkpoints: readonly Checkpoint[], id: string | undefined): Checkpoint[] {
  const byId = new Map(checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]));
  const branch: Checkpoint[] = [];
  for (let at = byId.get(id ?? ''); at !== undefined; at = byId.get(at.parentId ?? ''))
    branch.push(at);
  return branch.reverse();
}

/** The branch through the checkpoint, continued to its newest descendant. */
export function lineThrough(checkpoints: readonly Checkpoint[], id: string): Checkpoint[] {
  const own = checkpoints.find((checkpoint) => checkpoint.id === id);
  const descendants = new Set([id]);
  let newest = own;
  // In reverse, parents come before their children.
  for (const checkpoint of checkpoints.toReversed()) {
    if (checkpoint.parentId === undefined || !descendants.has(checkpoint.parentId)) continue;
    descendants.add(checkpoint.id);
    newest = checkpoint;
  }
  return branchOf(checkpoints, newest?.id);
}
