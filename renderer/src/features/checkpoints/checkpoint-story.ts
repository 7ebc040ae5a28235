import { namespaceName, outerNamespace, type Checkpoint } from './checkpoint.ts';

/** What made a checkpoint, and what it changed. */
export interface CheckpointStory {
  /** The nodes that ran to make it; empty for inputs and updates. */
  readonly nodes: readonly string[];
  /** Keys of the state that differ from the previous checkpoint; undefined when that is not retained. */
  readonly changed: readonly string[] | undefined;
  /** Nothing descends from it in its own graph. */
  readonly isLast: boolean;
}

/** Which nodes made each checkpoint: the next nodes of its parent, and those that a Send started. */
export function checkpointStories(
  checkpoints: readonly Checkpoint[],
): Map<string, CheckpointStory> {
  const byId = new Map(checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]));
  const started = subgraphsByOrigin(checkpoints);
  const continued = new Set(checkpoints.map(({ parentId }) => parentId));
  const stories = new Map<string, CheckpointStory>();
  for (const checkpoint of checkpoints) {
    const parent = checkpoint.parentId === undefined ? undefined : byId.get(checkpoint.parentId);
    stories.set(checkpoint.id, {
      nodes: checkpoint.source === 'loop' && parent ? nodesAfter(parent, started) : [],
      changed: parent && changedKeys(parent, checkpoint),
      isLast: !continued.has(checkpoint.id),
    });
  }
  return stories;
}

function nodesAfter(
  parent: Checkpoint,
  started: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  const nodes = [...new Set([...parent.nextNodes, ...(started.get(parent.id) ?? [])])];
  // An input is processed by LangGraph's own first node.
  return nodes.length === 0 && parent.source === 'input' ? ['start'] : nodes;
}

/** By checkpoint, the nodes of the sub-graphs that started from it. */
function subgraphsByOrigin(checkpoints: readonly Checkpoint[]): Map<string, Set<string>> {
  const started = new Map<string, Set<string>>();
  for (const { ns, outerId } of checkpoints) {
    if (ns === '' || outerId === undefined) continue;
    const own = ns.slice(outerNamespace(ns).length).replace(/^\|/, '');
    const names = started.get(outerId) ?? new Set();
    started.set(outerId, names.add(namespaceName(own)));
  }
  return started;
}

function changedKeys(before: Checkpoint, after: Checkpoint): string[] {
  const keys = new Set([...Object.keys(before.prints), ...Object.keys(after.prints)]);
  return [...keys].filter((key) => before.prints[key] !== after.prints[key]);
}
