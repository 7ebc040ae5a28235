import { namespaceName, outerNamespace, type Checkpoint } from './checkpoint.ts';

/** What made a checkpoint, and what it changed. */
export interface CheckpointStory {
  /** The nodes that ran to make it; empty for inputs and updates. */
  readonly nodes: readonly string[];
  /** Keys of the state that differ from the checkpoint before; undefined when that is not retained. */
  readonly changed: readonly string[] | undefined;
  /** Nothing descends from it in its own graph. */
  readonly isLast: boolean;
}

/** Tells of every checkpoint which nodes made it: those its parent was about to run, and those a Send started. */
export function tellStories(checkpoints: readonly Checkpoint[]): Map<string, CheckpointStory> {
  const byId = new Map(checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]));
  const begun = subgraphsByOrigin(checkpoints);
  const continued = new Set(checkpoints.map(({ parentId }) => parentId));
  const stories = new Map<string, CheckpointStory>();
  for (const checkpoint of checkpoints) {
    const parent = checkpoint.parentId === undefined ? undefined : byId.get(checkpoint.parentId);
    stories.set(checkpoint.id, {
      nodes: checkpoint.source === 'loop' && parent ? nodesAfter(parent, begun) : [],
      changed: parent && changedKeys(parent, checkpoint),
      isLast: !continued.has(checkpoint.id),
    });
  }
  return stories;
}

function nodesAfter(parent: Checkpoint, begun: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const nodes = [...new Set([...parent.nextNodes, ...(begun.get(parent.id) ?? [])])];
  // An input is taken in by LangGraph's own first node.
  return nodes.length === 0 && parent.source === 'input' ? ['start'] : nodes;
}

/** By checkpoint, the nodes of the sub-graphs that began from it. */
function subgraphsByOrigin(checkpoints: readonly Checkpoint[]): Map<string, Set<string>> {
  const begun = new Map<string, Set<string>>();
  for (const { ns, outerId } of checkpoints) {
    if (ns === '' || outerId === undefined) continue;
    const own = ns.slice(outerNamespace(ns).length).replace(/^\|/, '');
    const names = begun.get(outerId) ?? new Set();
    begun.set(outerId, names.add(namespaceName(own)));
  }
  return begun;
}

function changedKeys(before: Checkpoint, after: Checkpoint): string[] {
  const keys = new Set([...Object.keys(before.prints), ...Object.keys(after.prints)]);
  return [...keys].filter((key) => before.prints[key] !== after.prints[key]);
}
