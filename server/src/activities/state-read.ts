import type { GuestPort, ReadStates, StateRead } from '../guest/port.ts';
import type { StateQuestion } from '../model/checkpoint/state-values.ts';
import type { AgentId, ThreadId } from '../model/ids.ts';
import type { JsonText } from '../model/json.ts';
import type { ThreadReport } from '../model/thread/thread-wire.ts';
import type { RejectionCounter } from './checkpoint-ceilings.ts';
import { checkpointsOutsideRuns, configOutsideRuns } from './outside-runs.ts';
import type { CheckpointPort } from '../model/checkpoint/checkpoint-port.ts';
import { agentOf, type StateCommitPort } from './state-update.ts';

export interface StateReadParts {
  guests: Pick<GuestPort, 'readStates'>;
  checkpoints: CheckpointPort;
  commits: Pick<StateCommitPort, 'report'>;
  rejections: RejectionCounter;
}

/** Which states of a thread are requested. */
export interface ThreadStateQuestion extends StateQuestion {
  threadId: ThreadId;
  /** For a thread that no agent has written to. */
  defaultAgentId: AgentId;
  /** As in a StateChange. */
  agentKey?: string;
  principal: Record<string, unknown>;
}

/** Has a thread's agent describe its states: what the graph knows of them besides their values, for `/compat`. */
export class AgentStateReader {
  readonly #parts: StateReadParts;

  constructor(parts: StateReadParts) {
    this.#parts = parts;
  }

  async *describe(question: ThreadStateQuestion, signal: AbortSignal): AsyncGenerator<JsonText> {
    const { threadId, history } = question;
    const report = await this.#parts.commits.report(threadId);
    let left = history?.limit ?? 1;
    let beforeId = history?.beforeId;
    while (left > 0) {
      const part = history && { limit: left, ...(beforeId !== undefined && { beforeId }) };
      const { states, isCut } = await readOnce(this.#parts, question, report, { part, signal });
      yield* states;
      left -= states.length;
      const last = states.at(-1);
      if (!isCut || last === undefined) return;
      beforeId = checkpointIdOf(last);
    }
  }
}

async function readOnce(
  parts: StateReadParts,
  question: ThreadStateQuestion,
  report: ThreadReport,
  { part, signal }: { part: StateQuestion['history']; signal: AbortSignal },
): Promise<ReadStates> {
  const { threadId, principal, subgraphs, filter, ns, checkpointId } = question;
  const agentId = agentOf(report, question);
  const port = readOnly(parts.checkpoints);
  const checkpoints = checkpointsOutsideRuns(threadId, report, parts.rejections, port);
  const read: StateRead = {
    threadId,
    agentId,
    config: configOutsideRuns({ threadId, agentId, ns, checkpointId, principal }),
    ...(subgraphs !== undefined && { subgraphs }),
    ...(part && { history: part }),
    ...(filter && { filter }),
    ...(report.configurable && { factoryConfigurable: report.configurable }),
    checkpoints,
  };
  try {
    return await parts.guests.readStates(read, signal);
  } catch (error) {
    // The guest's exception for an unreadable checkpoint does not contain the cause.
    throw checkpoints.unreadable ?? error;
  }
}

/** Rejects writes of agent code that runs during a read. */
function readOnly(port: CheckpointPort): CheckpointPort {
  return {
    applyBatch: () => Promise.reject(new Error('A read of the state writes nothing.')),
    offload: () => undefined,
    read: (threadId, selection) => port.read(threadId, selection),
  };
}

function checkpointIdOf(state: JsonText): string {
  const { checkpoint } = JSON.parse(state) as { checkpoint: { checkpoint_id: string } }; // the guest's form
  return checkpoint.checkpoint_id;
}
