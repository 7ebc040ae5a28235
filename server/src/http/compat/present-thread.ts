import { langGraphIds } from '../../model/agent-description.ts';
import type { StateSnapshot, ThreadView } from '../../model/thread/thread.ts';
import { plainValuesText } from '../../model/checkpoint/state-values.ts';
import { isoTime } from '../response/iso-time.ts';
import { spliced } from '../response/json-writer.ts';

/** A thread as LangGraph Server tells it; `values` and `interrupts` only with its state. */
export function presentCompatThread(view: ThreadView, state?: StateSnapshot) {
  const updatedAt = isoTime(view.updatedAt);
  const graphId = view.metadata['graph_id'] ?? view.agentId;
  return {
    thread_id: view.threadId,
    created_at: isoTime(view.createdAt),
    updated_at: updatedAt,
    state_updated_at: updatedAt,
    metadata: {
      ...view.metadata,
      ...(graphId !== undefined && langGraphIds(graphId)),
    },
    status: view.status,
    config: {},
    values: state === undefined ? null : spliced(plainValuesText(state.values)),
    interrupts: state === undefined ? {} : interruptsOf(state),
    error: null,
  };
}

/** By the question's id: the task is not known here, and clients look at the values only. */
function interruptsOf({ interrupts }: StateSnapshot): Record<string, object[]> {
  return Object.fromEntries(interrupts.map(({ id, value }) => [id, [{ id, value }]]));
}
