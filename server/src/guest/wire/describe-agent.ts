import { reasonOf, ServiceError } from '../../errors/service-error.ts';
import type { AgentId } from '../../model/ids.ts';
import type { AgentsClient } from './agents-client.ts';
import type { GuestLane } from '../pool/guest-lane.ts';
import type { GuestAgent } from '../pool/guest-program.ts';
import type { DescribedAgent, DescribeOptions } from '../port.ts';

/** The part of a guest process that this file uses. */
interface Describer {
  agents: Pick<AgentsClient, 'describeAgent'>;
}

type Known = Map<string, Promise<DescribedAgent | undefined>>;

/** A guest imports its agents once, so its descriptions stay valid until it exits; a reload starts new guests. */
const knownOf = new WeakMap<Describer, Known>();

/** One agent as this guest describes it, requested once; undefined when the guest does not know it. */
export async function describeOn(
  guest: Describer,
  agentId: AgentId,
  wanted: DescribeOptions,
  signal: AbortSignal,
): Promise<DescribedAgent | undefined> {
  const known: Known = knownOf.get(guest) ?? new Map();
  knownOf.set(guest, known);
  const { schemas = false, graph = false, graphDepth = 0 } = wanted;
  const key = JSON.stringify([agentId, schemas, graph, graphDepth]);
  let description = known.get(key);
  if (!description) {
    // Not the caller's signal: other callers wait for the same response. The call has its own limit.
    description = guest.agents.describeAgent(agentId, wanted, new AbortController().signal);
    known.set(key, description);
    description.then(
      (found) => !isLasting(found) && known.delete(key),
      () => known.delete(key),
    );
  }
  return await orAborted(description, signal);
}

/** Errors are not kept: their cause may lie outside of the agent's code. */
function isLasting(found: DescribedAgent | undefined): boolean {
  return found !== undefined && !found.error;
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(new ServiceError('guest_unavailable', 'The client has gone.'));
  });
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The descriptions of a language's agents; if no guest starts, each has the reason as its error. */
export async function describeAll(
  lane: Pick<GuestLane, 'acquire'>,
  agents: readonly GuestAgent[],
  signal: AbortSignal,
): Promise<DescribedAgent[]> {
  try {
    const guest = await lane.acquire(signal);
    try {
      return await guest.process.agents.describe(signal);
    } finally {
      guest.release();
    }
  } catch (error) {
    if (signal.aborted) return [];
    const unavailable = { code: 'guest_unavailable', message: reasonOf(error) };
    return agents.map(({ agentId }) => ({ agentId, error: unavailable }));
  }
}
