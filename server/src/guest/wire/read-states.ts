import { errorTable } from '../../errors/codes.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { jsonText } from '../../model/json.ts';
import type { RunError } from '../../model/run/run.ts';
import { readError, readStatesRequest } from './agent-wire.ts';
import { guestCallerOf, type ReadStates, type StateRead } from '../port.ts';
import type { GuestProcess } from '../process/guest-process.ts';
import type { GuestLimits } from '../limits.ts';
import { failedCall } from './update-state.ts';

/** Reads states on a guest. Rejects with a ServiceError. */
export async function readStatesOn(
  guest: GuestProcess,
  read: StateRead,
  signal: AbortSignal,
  limits: GuestLimits,
): Promise<ReadStates> {
  const head = await read.checkpoints.head();
  const { threadId, agentId } = read;
  const caller = guestCallerOf(read.config, { threadId, agentId });
  const session = guest.checkpoints.openToken({
    session: read.checkpoints,
    threadId,
    caller,
  });
  try {
    const response = await guest.agents
      .readStates(readStatesRequest(read, session.token, head), signal)
      .catch((error: unknown) => failedCall(error, guest, signal, limits));
    if (response.error) throw refused(readError(response.error));
    return { states: response.states_json.map(jsonText), isCut: response.cut ?? false };
  } finally {
    guest.checkpoints.closeToken(session);
  }
}

/** Other errors are attributed to the agent's own code: the request has no values. */
function refused({ code, message }: RunError): ServiceError {
  for (const known of ['agent_not_found', 'state_too_large', 'guest_unavailable'] as const) {
    if (code === known) return new ServiceError(known, message);
  }
  const isOurs = Object.hasOwn(errorTable, code) && code !== 'agent_error';
  return new ServiceError('agent_not_loaded', isOurs ? message : `The agent reported: ${message}`);
}
