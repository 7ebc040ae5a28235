import { createKeyedQueue } from '../concurrency/concurrency.ts';
import { errorTable } from '../errors/codes.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { GuestPort } from '../guest/port.ts';
import type { AgentId, ThreadId } from '../model/ids.ts';
import type { JsonText } from '../model/json.ts';
import { joinQuestions, openQuestions } from '../model/checkpoint/open-questions.ts';
import { opBytes, type StoredOp } from '../model/checkpoint/stored.ts';
import type { CheckpointRef } from '../model/thread/thread.ts';
import type { StateCommit, ThreadReport } from '../model/thread/thread-wire.ts';
import type { RejectionCounter } from './checkpoint-ceilings.ts';
import { checkpointsOutsideRuns, configOutsideRuns, reportedLimits } from './outside-runs.ts';
import type { CheckpointPort } from '../model/checkpoint/checkpoint-port.ts';
import type { OffloadedPayload } from '../model/checkpoint/payload-port.ts';
import { changeTooLarge, valuesTooLarge } from './too-large.ts';

/** How often a state that other services keep changing is computed again. */
const ATTEMPTS = 5;

/** The part of the thread that a change of its state needs. Rejects with ServiceErrors. */
export interface StateCommitPort {
  report(threadId: ThreadId): Promise<ThreadReport>;
  /** Atomic. `thread_busy`, also when the state was changed meanwhile; `thread_stopped`. */
  commit(threadId: ThreadId, commit: StateCommit): Promise<void>;
}

export interface StateUpdateParts {
  guests: Pick<GuestPort, 'updateState'>;
  checkpoints: CheckpointPort;
  commits: StateCommitPort;
  rejections: RejectionCounter;
  /** Refuses changes while the disk is full. Absent: none is refused. */
  disk?: { admit<T>(operation: string, work: () => Promise<T>): Promise<T> };
}

/** A change of a thread's state as a client requested it. */
export interface StateChange {
  threadId: ThreadId;
  /** For a thread that no agent has written to. */
  defaultAgentId: AgentId;
  /** The member of the thread's metadata that names its agent until one has written to it. */
  agentKey?: string;
  /** A JSON object by channel; with `plain` any value that LangGraph's update_state accepts. */
  values: JsonText;
  /** LangGraph's own update_state, upon the head of a namespace or an older checkpoint. */
  plain?: { asNode?: string; ns: string; checkpointId?: string; supersteps?: JsonText };
  /** Claims of the caller. */
  principal: Record<string, unknown>;
}

/** The state after a change, and the checkpoint that has it. */
export interface ChangedState {
  values: JsonText;
  checkpoint?: CheckpointRef;
}

/** Changes states between runs: an agent's guest computes the checkpoints, one Update adds them to the thread. */
export class StateUpdater {
  readonly #parts: StateUpdateParts;
  readonly #inTurn = createKeyedQueue();

  constructor(parts: StateUpdateParts) {
    this.#parts = parts;
  }

  /** Decisions, "POST state, more": concurrent changes are made one after the other. */
  update(change: StateChange, signal: AbortSignal): Promise<ChangedState> {
    const { disk } = this.#parts;
    const updated = (): Promise<ChangedState> =>
      this.#inTurn(change.threadId, () => this.#updateWhenDue(change, signal));
    return disk ? disk.admit('update_state', updated) : updated();
  }

  async #updateWhenDue(change: StateChange, signal: AbortSignal): Promise<ChangedState> {
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted(); // the client may have disconnected during other changes
      const report = await this.#parts.commits.report(change.threadId);
      requireIdle(report, change);
      try {
        return await updateOnce(this.#parts, change, report, signal);
      } catch (error) {
        // Another caller changed the state first, unless a run has begun, which the next report shows.
        const isOvertaken = isServiceError(error) && error.code === 'thread_busy';
        if (!isOvertaken || attempt >= ATTEMPTS) throw error;
      }
    }
  }
}

async function updateOnce(
  parts: StateUpdateParts,
  change: StateChange,
  report: ThreadReport,
  signal: AbortSignal,
): Promise<ChangedState> {
  const { threadId, principal, plain } = change;
  const agentId = agentOf(report, change);
  const collected = new CollectedWrites(parts.checkpoints);
  const limits = reportedLimits(report);
  const rejected = (error: ServiceError): ServiceError => {
    const limit = String(error.details['limit_name']);
    parts.rejections.inc({ limit, operation: 'update_state' });
    return error;
  };
  const size = Buffer.byteLength(plain?.supersteps ?? change.values);
  if (size > limits.stateUpdate) throw rejected(valuesTooLarge(size, limits.stateUpdate));
  const session = checkpointsOutsideRuns(threadId, report, parts.rejections, collected);
  let isCertain = true;
  try {
    const { hasNext, ...changed } = await parts.guests.updateState(
      {
        threadId,
        agentId,
        values: change.values,
        config: configOutsideRuns({
          threadId,
          agentId,
          ns: plain?.ns ?? '',
          checkpointId: plain?.checkpointId,
          principal,
        }),
        ...(plain && { plain: true }),
        ...(plain?.supersteps !== undefined && { supersteps: plain.supersteps }),
        ...(plain?.asNode !== undefined && { asNode: plain.asNode }),
        // As under LangGraph's server: the graph is made as it was for the thread's newest run.
        ...(plain && report.configurable && { factoryConfigurable: report.configurable }),
        checkpoints: session,
      },
      signal,
    );
    const questions = collected.questions();
    const taken = collected.ops.reduce((sum, op) => sum + opBytes(op), questions.byteLength);
    if (taken > limits.inlineSave) throw rejected(changeTooLarge(taken, limits.inlineSave));
    isCertain = false;
    await parts.commits.commit(threadId, {
      expectedRevision: report.revision,
      ops: collected.ops,
      questions,
      agentId,
      now: Date.now(),
      // LangGraph's own update_state decides what is next; the head of a sub-graph is not the thread's.
      ...(plain?.ns === '' && { status: hasNext ? 'interrupted' : 'completed' }),
    });
    isCertain = true;
    const checkpoint = collected.newest();
    return { ...changed, ...(checkpoint && { checkpoint }) };
  } catch (error) {
    isCertain ||= isServiceError(error) && !isOpen(error);
    throw error;
  } finally {
    collected.release({ isCertain });
  }
}

/** Collects the guest's writes for one commit, and protects their references from the collector until then. */
class CollectedWrites implements CheckpointPort {
  readonly ops: StoredOp[] = [];
  readonly #port: CheckpointPort;
  readonly #written: StoredOp<Uint8Array>[] = [];
  readonly #held: OffloadedPayload<StoredOp>[] = [];
  #isReleased = false;

  constructor(port: CheckpointPort) {
    this.#port = port;
  }

  async applyBatch(_threadId: ThreadId, batch: { ops: StoredOp[] }): Promise<void> {
    this.ops.push(...batch.ops);
  }

  offload(
    threadId: ThreadId,
    op: StoredOp<Uint8Array>,
  ): Promise<OffloadedPayload<StoredOp>> | undefined {
    this.#written.push(op);
    return this.#port.offload(threadId, op)?.then((offloaded) => {
      // The guest's call failed while this was in flight: it will not be committed.
      if (this.#isReleased) offloaded.release({ isCertain: true });
      else this.#held.push(offloaded);
      return { kept: offloaded.kept, release: () => undefined };
    });
  }

  read(...query: Parameters<CheckpointPort['read']>): ReturnType<CheckpointPort['read']> {
    return this.#port.read(...query);
  }

  /** The questions that are open at the root's new head. */
  questions(): Uint8Array {
    const heads = this.#written.filter((op) => op.kind === 'save' && op.checkpoint.ns === '');
    const head = heads.at(-1);
    const headId = head?.kind === 'save' ? head.checkpoint.id : undefined;
    const writes = this.#written.flatMap((op) => {
      return op.kind === 'writes' && op.ns === '' && op.checkpointId === headId ? op.writes : [];
    });
    return joinQuestions(openQuestions(writes));
  }

  /** The last checkpoint that was written. */
  newest(): CheckpointRef | undefined {
    const save = this.#written.findLast((op) => op.kind === 'save');
    return save && { ns: save.checkpoint.ns, id: save.checkpoint.id };
  }

  release(outcome: { isCertain: boolean }): void {
    this.#isReleased = true;
    for (const offloaded of this.#held.splice(0)) offloaded.release(outcome);
  }
}

/** The agent that last wrote to the thread; before that the one named in its metadata, or the default. */
export function agentOf(
  { agentId, metadata }: ThreadReport,
  asked: { defaultAgentId: AgentId; agentKey?: string },
): AgentId {
  const { agentKey, defaultAgentId } = asked;
  const named = agentKey === undefined ? undefined : metadata[agentKey];
  return (agentId ?? named ?? defaultAgentId) as AgentId; // an id when it wrote, or resolved by its guest
}

/** Refuses at once, before a guest is called; the commit checks again. */
function requireIdle(
  { status, stopped, isQueued = false }: ThreadReport,
  { plain }: Pick<StateChange, 'plain'>,
): void {
  if (stopped) {
    const message = `The thread takes no change: ${stopped.message}`;
    throw new ServiceError('thread_stopped', message);
  }
  // For clients of LangGraph Server a delayed run counts, too.
  if (status === 'busy' || (plain && isQueued)) {
    throw new ServiceError('thread_busy', 'A run is active or queued on the thread.');
  }
}

/** Whether it is unknown if the thread has accepted the change. */
function isOpen({ code }: ServiceError): boolean {
  return code === 'internal' || (errorTable[code].retry && code !== 'thread_busy');
}
