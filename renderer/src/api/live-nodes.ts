import type { RunStreamEvent } from './run-stream.ts';

/** The nodes of a graph that run now, folded from the events of a run. */
export interface LiveNodes {
  take(event: RunStreamEvent): void;
  /** Ids as GET /agents/{name}/graph gives them: `section:draft` is within a sub-graph. A new array when they change. */
  nodes(): readonly string[];
  /** False for a run without stream mode `tasks`: its events do not contain them. */
  hasTaskEvents(): boolean;
}

const ends: ReadonlySet<string> = new Set(['done', 'error', 'lifecycle', 'restart']);

/** Makes an empty fold. */
export function createLiveNodes(): LiveNodes {
  const running = new Map<string, string>();
  let nodes: readonly string[] = [];
  let hasTaskEvents = false;

  function takeTask({ ns, data }: RunStreamEvent): void {
    const task = readTask(data);
    if (task === undefined) return;
    hasTaskEvents = true;
    const around = ns.split('|').map((part) => part.split(':', 1)[0] ?? '');
    if (task.event !== 'start') running.delete(task.id);
    else running.set(task.id, [...around, task.name].filter((part) => part !== '').join(':'));
    nodes = [...new Set(running.values())];
  }

  return {
    take(event) {
      if (event.type === 'tasks') takeTask(event);
      // The tasks of an attempt end with it; at a continue-as-new they continue.
      else if (ends.has(event.type) && !event.data.includes('"CAN"')) {
        running.clear();
        nodes = [];
      }
    },
    nodes: () => nodes,
    hasTaskEvents: () => hasTaskEvents,
  };
}

function readTask(data: string): { event: unknown; id: string; name: string } | undefined {
  try {
    const { event, id, name }: { event?: unknown; id?: unknown; name?: unknown } = JSON.parse(data);
    return typeof id === 'string' && typeof name === 'string' ? { event, id, name } : undefined;
  } catch {
    return undefined;
  }
}
