import * as contract from '../../contract/thread-routes.ts';
import { DEFAULT_LIMIT } from '../../contract/scalars.ts';
import type { CheckpointTarget, HistoryQuery, StateService } from '../../threads/state-service.ts';
import type { Endpoints } from '../endpoint.ts';
import { threadIdOf } from '../request/path-ids.ts';
import { objectOf } from '../response/raw-members.ts';
import {
  presentCheckpointState,
  presentHeadState,
  presentHistory,
  presentUpdatedState,
} from '../response/present.ts';

/** Decisions: "checkpoints". Every namespace. */
const ANY_NAMESPACE = '*';

/** State and history of threads (spec: Endpoints, State and Threads). */
export function stateRoutes(endpoints: Endpoints, services: { states: StateService }): void {
  const { states } = services;

  endpoints.on(contract.getState, async ({ principal, params }) => {
    const state = await states.read(principal, threadIdOf(params));
    return { status: 200, body: await presentHeadState(state) };
  });

  endpoints.on(contract.updateState, async ({ principal, params, members, signal }) => {
    const threadId = threadIdOf(params);
    const values = await states.update(principal, threadId, objectOf(members), signal);
    return { status: 200, body: presentUpdatedState(threadId, values) };
  });

  endpoints.on(contract.findCheckpointState, async ({ principal, params, body }) => {
    const target = targetOf(body.checkpoint ?? {});
    const state = await states.readCheckpoint(principal, threadIdOf(params), target);
    return { status: 200, body: await presentCheckpointState(state) };
  });

  endpoints.on(contract.getCheckpointState, async ({ principal, params }) => {
    const target = { id: params.checkpoint_id };
    const state = await states.readCheckpoint(principal, threadIdOf(params), target);
    return { status: 200, body: await presentCheckpointState(state) };
  });

  endpoints.on(contract.getHistory, async ({ principal, params, query }) => {
    const threadId = threadIdOf(params);
    const { limit = DEFAULT_LIMIT, checkpoint_ns: ns = '' } = query;
    const entries = await states.history(principal, threadId, { limit, ...namespaceOf(ns) });
    return { status: 200, body: presentHistory(threadId, entries) };
  });

  endpoints.on(contract.findHistory, async ({ principal, params, body }) => {
    const threadId = threadIdOf(params);
    const { limit = DEFAULT_LIMIT, before, checkpoint } = body;
    const entries = await states.history(principal, threadId, {
      limit,
      ...namespaceOf(checkpoint?.checkpoint_ns ?? ''),
      ...(isGiven(before) && { beforeId: before }),
    });
    return { status: 200, body: presentHistory(threadId, entries) };
  });
}

/** Spec: State. `checkpoint_ns` is ignored when checkpoint_id is set; an empty id means the head of the namespace. */
function targetOf(checkpoint: {
  checkpoint_ns?: string | null;
  checkpoint_id?: string | null;
}): CheckpointTarget {
  const { checkpoint_id: id, checkpoint_ns: ns } = checkpoint;
  return isGiven(id) ? { id } : { ns: ns ?? '' };
}

function namespaceOf(ns: string): Pick<HistoryQuery, 'ns'> {
  return ns === ANY_NAMESPACE ? {} : { ns };
}

function isGiven(text: string | null | undefined): text is string {
  return text !== undefined && text !== null && text !== '';
}
