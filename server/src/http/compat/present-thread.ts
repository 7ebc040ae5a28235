import { langGraphIds } from '../../model/agent-description.ts';
import type { StateSnapshot, ThreadView } from '../../model/thread/thread.ts';
import { plainValuesText } from '../../model/checkpoint/state-values.ts';
import { isoTime } from '../response/iso-time.ts';
import { spliced } from '../response/json-writer.ts';
import { shownError } from './present-run.ts';

/** A thread in LangGraph Server's form; `values` and `interrupts` only when its state is given. */
export function presentCompatThread(view: ThreadView, state?: StateSnapshot) {
  const { updatedAt, stateUpdatedAt = updatedAt, error } = view;
  const graphId = view.metadata['graph_id'] ?? view.agentId;
  return {
    thread_id: view.threadId,
    created_at: isoTime(view.createdAt),
    updated_at: isoTime(updatedAt),
    state_updated_at: isoTime(stateUpdatedAt),
    metadata: {
      ...metadataOf(view),
      ...(graphId !== undefined && langGraphIds(graphId)),
    },
    status: view.status,
    config: {},
    values: state === undefined ? null : spliced(plainValuesText(state.values)),
    interrupts: state === undefined ? {} : interruptsOf(state),
    error: error === undefined ? null : shownError({ error }),
  };
}

/** With the values that clients gave: our own API has strings alone. */
function metadataOf({ metadata, jsonKeys = [] }: ThreadView): Record<string, unknown> {
  const typed = jsonKeys.map((key) => [key, JSON.parse(metadata[key] ?? 'null') as unknown]);
  return { ...metadata, ...Object.fromEntries(typed) };
}

/** Keyed by the task that asks; by the question where no task does any more. */
function interruptsOf({ interrupts, askingTasks }: StateSnapshot): Record<string, object[]> {
  const byTask: Record<string, object[]> = {};
  for (const { id, value } of interrupts) {
    const key = askingTasks?.get(id) ?? id;
    byTask[key] = [...(byTask[key] ?? []), { id, value }];
  }
  return byTask;
}
