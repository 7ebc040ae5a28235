import { langGraphIds } from '../../model/agent-description.ts';
import type { StateSnapshot, ThreadView } from '../../model/thread/thread.ts';
import { plainValuesText } from '../../model/checkpoint/state-values.ts';
import { isoTime } from '../response/iso-time.ts';
import { spliced } from '../response/json-writer.ts';

/** A thread in LangGraph Server's form; `values` and `interrupts` only when its state is given. */
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

/** Keyed by the interrupt's id: the task is not known here, and clients use only the values. */
function interruptsOf({ interrupts }: StateSnapshot): Record<string, object[]> {
  return Object.fromEntries(interrupts.map(({ id, value }) => [id, [{ id, value }]]));
}
