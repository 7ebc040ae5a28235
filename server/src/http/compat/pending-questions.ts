import { isServiceError } from '../../errors/service-error.ts';
import type { ThreadId } from '../../model/ids.ts';
import type { Principal } from '../../model/principal.ts';
import type { PendingInterrupt, StateSnapshot } from '../../model/thread/thread.ts';
import type { StateService } from '../../threads/state-service.ts';

/**
 * What a thread waits for: an input that comes for it is the answer. Nothing where it does not exist, and where the
 * principal may not read its state: whether it may run there is another question.
 */
export async function pendingQuestions(
  states: StateService,
  principal: Principal,
  threadId: ThreadId,
): Promise<readonly PendingInterrupt[]> {
  return (await knownState(states, principal, threadId))?.interrupts ?? [];
}

/** The state of a thread. Absent where it does not exist, and where the principal may not read it. */
export async function knownState(
  states: StateService,
  principal: Principal,
  threadId: ThreadId,
): Promise<StateSnapshot | undefined> {
  try {
    return await states.read(principal, threadId);
  } catch (error) {
    const unknown = ['thread_not_found', 'permission_denied'];
    if (isServiceError(error) && unknown.includes(error.code)) return undefined;
    throw error;
  }
}
