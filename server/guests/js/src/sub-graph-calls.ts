import type { RunnableConfig } from '@langchain/core/runnables';
import type { CheckpointTuple } from '@langchain/langgraph-checkpoint';
import { isRecord } from './run-config.ts';

/** LangGraph's name for "continue from the checkpoint, for any input". */
const RESUMING = '__pregel_resuming';

/**
 * Looks at each checkpoint that a graph of a restarted run is about to continue from. LangGraph tells every sub-graph of
 * its first step to resume. One with its own memory (`checkpointer: true`) has a checkpoint from its last call, so
 * it would return what it returned then if the lost attempt had not come to call it: such a call takes its input. Only
 * where this run made the step: one that it resumes, it resumed in its first attempt too.
 */
export function subGraphCalls(
  runId: string,
): (found: CheckpointTuple, config: RunnableConfig) => void {
  const own = new Set<unknown>();
  return ({ checkpoint, metadata }, { configurable = {} }) => {
    const { run_id: savedBy, parents } = (metadata ?? {}) as Record<string, unknown>;
    if (savedBy === runId) own.add(checkpoint.id);
    if (configurable[RESUMING] !== true) return;
    const savedUnder = isRecord(parents) ? parents : {};
    const around = Object.entries((configurable['checkpoint_map'] ?? {}) as object);
    const isCalledAnew = around.some(([ns, id]) => own.has(id) && savedUnder[ns] !== id);
    // Changed in place, as LangGraph itself does here when a step is replayed.
    if (isCalledAnew) configurable[RESUMING] = false;
  };
}
