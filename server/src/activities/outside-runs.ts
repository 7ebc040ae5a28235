import { authConfig } from './auth-config.ts';
import type { AgentId, ThreadId } from '../model/ids.ts';
import { deriveLimits, type ThreadLimits } from '../model/limits/limits.ts';
import { OUTSIDE_RUNS } from '../model/thread/thread-record.ts';
import type { ThreadReport } from '../model/thread/thread-wire.ts';
import { createCheckpointCeilings, type RejectionCounter } from './checkpoint-ceilings.ts';
import { AttemptCheckpoints } from './checkpoint-session.ts';
import type { CheckpointPort } from '../model/checkpoint/checkpoint-port.ts';

/** The size limits in a thread's report. */
export function reportedLimits({ settings }: ThreadReport): ThreadLimits {
  return deriveLimits(settings);
}

/** The checkpoints of a thread for a guest that reads or changes a state without a run. */
export function checkpointsOutsideRuns(
  threadId: ThreadId,
  report: ThreadReport,
  rejections: RejectionCounter,
  port: CheckpointPort,
): AttemptCheckpoints {
  return new AttemptCheckpoints(
    {
      threadId,
      runUuid: OUTSIDE_RUNS,
      attempt: 1,
      rememberedHead: report.revision === 0 ? null : undefined,
      isSynchronous: true,
      ceilings: createCheckpointCeilings({
        limits: reportedLimits(report),
        maxCheckpointHistory: report.settings.maxCheckpointHistory,
        rejections,
      }),
    },
    port,
  );
}

/** The LangGraph config for the same: `configurable` names a checkpoint of the thread. */
export function configOutsideRuns(asked: {
  threadId: ThreadId;
  agentId: AgentId;
  ns: string;
  /** Absent: the head of the namespace. */
  checkpointId?: string | undefined;
  principal: Record<string, unknown>;
}): Record<string, unknown> {
  const { threadId, agentId, ns, checkpointId, principal } = asked;
  return {
    metadata: { thread_id: threadId, agent_id: agentId },
    configurable: {
      thread_id: threadId,
      checkpoint_ns: ns,
      ...(checkpointId !== undefined && { checkpoint_id: checkpointId }),
      graph_id: agentId,
      principal,
      ...authConfig(principal),
    },
  };
}
