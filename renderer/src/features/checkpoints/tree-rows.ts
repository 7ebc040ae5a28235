import type { CheckpointGraph, GraphRow } from './checkpoint-graph.ts';
import type { CheckpointStory } from './checkpoint-story.ts';
import type { Checkpoint } from './checkpoint.ts';

/** A line of the tree: a run's head, or one of its checkpoints. */
export type TreeRow =
  | {
      readonly kind: 'run';
      readonly id: string;
      readonly runId: string | undefined;
      readonly agentId: string | undefined;
      readonly count: number;
      readonly lanes: readonly number[];
    }
  | {
      readonly kind: 'checkpoint';
      readonly id: string;
      readonly checkpoint: Checkpoint;
      readonly story: CheckpointStory | undefined;
      readonly graph: GraphRow;
      /** The last one of its run, where the bracket closes. */
      readonly isEnd: boolean;
    };

/** The checkpoints, newest first, under the heads of the runs that made them. */
export function treeRows(
  checkpoints: readonly Checkpoint[],
  graph: CheckpointGraph,
  stories: ReadonlyMap<string, CheckpointStory>,
): TreeRow[] {
  const rows: TreeRow[] = [];
  checkpoints.forEach((checkpoint, index) => {
    const drawn = graph.rows[index];
    if (drawn === undefined) return;
    const { id, runId, agentId } = checkpoint;
    if (index === 0 || checkpoints[index - 1]?.runId !== runId) {
      let count = 1;
      while (checkpoints[index + count]?.runId === runId && index + count < checkpoints.length)
        count += 1;
      rows.push({ kind: 'run', id: `run ${id}`, runId, agentId, count, lanes: drawn.above });
    }
    const isEnd = checkpoints[index + 1]?.runId !== runId || index + 1 === checkpoints.length;
    const story = stories.get(id);
    rows.push({ kind: 'checkpoint', id, checkpoint, story, graph: drawn, isEnd });
  });
  return rows;
}
