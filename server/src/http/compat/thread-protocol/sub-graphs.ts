import { isObject, type JsonText, toJsonText } from '../../../model/json.ts';
import type { Made } from './run-frames.ts';
import { nodeOf } from './subscription.ts';

/** Finds the sub-graphs of a run by their tasks: LangGraph names the namespace of one `node:task`. */
export interface SubGraphs {
  /** What a task's begin or end says about sub-graphs. */
  task(namespace: readonly string[], data: JsonText): Made[];
  /** The run has ended, and with it every sub-graph. */
  end(event: string): Made[];
}

/** No sub-graph is known yet. */
export function openSubGraphs(): SubGraphs {
  const active = new Map<string, readonly string[]>();
  const seen = new Set<string>();

  function begun(namespace: readonly string[]): Made[] {
    return namespace.flatMap((segment, at) => {
      const path = namespace.slice(0, at + 1);
      const key = path.join('|');
      if (seen.has(key)) return [];
      seen.add(key);
      active.set(key, path);
      return [lifecycle(path, 'started', { graph_name: nodeOf(segment) })];
    });
  }

  return {
    task(namespace, data) {
      const task = JSON.parse(data) as Record<string, unknown>; // an object in this mode
      if (!('result' in task)) return begun(namespace);
      const key = [...namespace, `${String(task['name'])}:${String(task['id'])}`].join('|');
      const path = active.get(key);
      if (path === undefined) return [];
      active.delete(key);
      return [lifecycle(path, ...outcomeOf(task))];
    },
    end(event) {
      const left = [...active.values()];
      active.clear();
      return left.map((path) => lifecycle(path, event));
    },
  };
}

function outcomeOf(task: Record<string, unknown>): [event: string, more: object] {
  const { interrupts, error } = task;
  if (Array.isArray(interrupts) && interrupts.length > 0) return ['interrupted', {}];
  if (error === null || error === undefined) return ['completed', {}];
  const message = isObject(error) ? error['message'] : error;
  return ['failed', { error: typeof message === 'string' ? message : JSON.stringify(message) }];
}

function lifecycle(namespace: readonly string[], event: string, more: object = {}): Made {
  return { method: 'lifecycle', namespace, data: toJsonText({ event, ...more }) };
}
