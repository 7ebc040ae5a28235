import { createKeyedQueue } from '../concurrency/concurrency.ts';
import { errorTable } from '../errors/codes.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { GuestPort } from '../guest/port.ts';
import type { AgentId, ThreadId } from '../model/ids.ts';
import type { JsonText } from '../model/json.ts';
import { joinQuestions, openQuestions } from '../model/checkpoint/open-questions.ts';
import { opBytes, type StoredOp } from '../model/checkpoint/stored.ts';
import type { CheckpointPlace } from '../model/thread/thread.ts';
import type { StateCommit, ThreadReport } from '../model/thread/thread-wire.ts';
import type { RejectionCounter } from './checkpoint-ceilings.ts';
import { checkpointsOutsideRuns, configOutsideRuns, reportedLimits } from './outside-runs.ts';
import type { CheckpointPort } from '../model/checkpoint/checkpoint-port.ts';
import type { OffloadedPayload } from '../model/checkpoint/payload-port.ts';
import { changeTooLarge, valuesTooLarge } from './too-large.ts';

/** A state that other services keep changing is computed anew so many times. */
const ATTEMPTS = 5;

/** The thread, as far as a change of its state needs it. Rejects with ServiceErrors. */
export interface StateCommitPort {
  report(threadId: ThreadId): Promise<ThreadReport>;
  /** All of it or nothing. `thread_busy`, also when the state was changed meanwhile; `thread_stopped`. */
  commit(threadId: ThreadId, commit: StateCommit): Promise<void>;
}

export interface StateUpdateParts {
  guests: Pick<GuestPort, 'updateState'>;
  checkpoints: CheckpointPort;
  commits: StateCommitPort;
  rejections: RejectionCounter;
  /** Refuses changes while there is no room for them. Absent: there always is. */
  disk?: { admit<T>(operation: string, work: () => Promise<T>): Promise<T> };
}

/** A change of a thread's state as a client asked for it. */
export interface StateChange {
  threadId: ThreadId;
  /** For a thread that no agent has written to. */
  defaultAgentId: AgentId;
  /** The member of the thread's metadata that names its agent until one has written to it. */
  agentKey?: string;
  /** A JSON object by channel; with `plain` whatever LangGraph's update_state takes. */
  values: JsonText;
  /** LangGraph's own update_state, upon the head of a namespace or an older checkpoint. */
  plain?: { asNode?: string; ns: string; checkpointId?: string };
  /** Claims of who asks. */
  principal: Record<string, unknown>;
}

/** The state after a change, and the checkpoint that has it. */
export interface ChangedState {
  values: JsonText;
  checkpoint?: CheckpointPlace;
}

/** Makes the changes: an agent's guest computes the checkpoints, one Update makes them the thread's. */
export function createStateUpdater(parts: StateUpdateParts): {
  update(change: StateChange, signal: AbortSignal): Promise<ChangedState>;
} {
  const inTurn = createKeyedQueue();

  async function updateWhenDue(change: StateChange, signal: AbortSignal): Promise<ChangedState> {
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted(); // the client may have left while others were at it
      const report = await parts.commits.report(change.threadId);
      requireRest(report);
      try {
        return await updateOnce(parts, change, report, signal);
      } catch (error) {
        // Unless a run has begun, which the next report says, somebody else changed the state first.
        const isOvertaken = isServiceError(error) && error.code === 'thread_busy';
        if (!isOvertaken || attempt >= ATTEMPTS) throw error;
      }
    }
  }

  return {
    // Decisions, "POST state, more": changes at the same time are made one after the other.
    update(change, signal) {
      const updated = (): Promise<ChangedState> =>
        inTurn(change.threadId, () => updateWhenDue(change, signal));
      return parts.disk ? parts.disk.admit('update_state', updated) : updated();
    },
  };
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
  const size = Buffer.byteLength(change.values);
  if (size > limits.stateUpdate) throw rejected(valuesTooLarge(size, limits.stateUpdate));
  const session = checkpointsOutsideRuns(threadId, report, parts.rejections, collected);
  let isCertain = true;
  try {
    const answer = await parts.guests.updateState(
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
        ...(plain?.asNode !== undefined && { asNode: plain.asNode }),
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
    });
    isCertain = true;
    const checkpoint = collected.newest();
    return { ...answer, ...(checkpoint && { checkpoint }) };
  } catch (error) {
    isCertain ||= isServiceError(error) && !isOpen(error);
    throw error;
  } finally {
    collected.release({ isCertain });
  }
}

/** Takes what the guest writes, for one commit, and keeps what it references from the collector until then. */
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
      // The guest's call failed while this was on its way: nobody will commit it.
      if (this.#isReleased) offloaded.release({ isCertain: true });
      else this.#held.push(offloaded);
      return { kept: offloaded.kept, release: () => undefined };
    });
  }

  read(...query: Parameters<CheckpointPort['read']>): ReturnType<CheckpointPort['read']> {
    return this.#port.read(...query);
  }

  /** The questions that wait at the root's new head. */
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
  newest(): CheckpointPlace | undefined {
    const save = this.#written.findLast((op) => op.kind === 'save');
    return save && { ns: save.checkpoint.ns, id: save.checkpoint.id };
  }

  release(outcome: { isCertain: boolean }): void {
    this.#isReleased = true;
    for (const offloaded of this.#held.splice(0)) offloaded.release(outcome);
  }
}

/** Who last wrote to the thread; before that whom its metadata names, or the default. */
export function agentOf(
  { agentId, metadata }: ThreadReport,
  asked: { defaultAgentId: AgentId; agentKey?: string },
): AgentId {
  const { agentKey, defaultAgentId } = asked;
  const named = agentKey === undefined ? undefined : metadata[agentKey];
  return (agentId ?? named ?? defaultAgentId) as AgentId; // was one when it wrote, or is looked up by its guest
}

/** Refused at once, before a guest is troubled; the commit looks again. */
function requireRest({ status, stopped }: ThreadReport): void {
  if (stopped) {
    const message = `The thread takes no change: ${stopped.message}`;
    throw new ServiceError('thread_stopped', message);
  }
  if (status === 'busy') {
    throw new ServiceError('thread_busy', 'A run is active or queued on the thread.');
  }
}

/** Nobody knows whether the thread has taken the change. */
function isOpen({ code }: ServiceError): boolean {
  return code === 'internal' || (errorTable[code].retry && code !== 'thread_busy');
}
