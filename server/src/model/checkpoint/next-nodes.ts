/** LangGraph starts a node by a value in the channel of this name; emptied channels are not retained. */
const TRIGGER = 'branch:to:';

/** The nodes that run next from a checkpoint, as its channels tell; those that a Send starts are not among them. */
export function nextNodes(versions: Readonly<Record<string, string>>): string[] {
  return Object.keys(versions)
    .filter((channel) => channel.startsWith(TRIGGER))
    .map((channel) => channel.slice(TRIGGER.length));
}
