import { z } from 'zod';
import { asksState } from '../../contract/permissions.ts';
import { type JsonText, jsonText } from '../../model/json.ts';
import type { Principal } from '../../model/principal.ts';
import type { ThreadId } from '../../model/ids.ts';
import type { CheckpointRef } from '../../model/thread/thread.ts';
import type { StateQuestion } from '../../model/checkpoint/state-values.ts';
import type { StateService } from '../../threads/state-service.ts';
import type { Endpoints } from '../endpoint.ts';
import { spliced } from '../response/json-writer.ts';
import { threadIdOf } from '../request/path-ids.ts';
import { compatRoute, flagQuery, listQuery, optional } from './compat-route.ts';
import { presentStorage } from './present-storage.ts';
import { presentState, presentStates } from './present-state.ts';

const checkpointReference = z.object({
  checkpoint_id: optional(z.string()),
  checkpoint_ns: optional(z.string()),
});
const select = optional(z.array(z.string()));
const readQuery = z.object({
  subgraphs: flagQuery,
  select: listQuery,
});
const state = '/threads/{thread_id}/state';
const number = z.exactOptional(
  z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number),
);

const get = compatRoute('get', state, { asks: [asksState('read')], query: readQuery });
const getAt = compatRoute('get', `${state}/{checkpoint_id}`, {
  asks: [asksState('read')],
  query: readQuery,
});
const storage = compatRoute('get', '/threads/{thread_id}/storage', { asks: [asksState('read')] });
const find = compatRoute('post', `${state}/checkpoint`, {
  asks: [asksState('read')],
  body: z.object({ checkpoint: checkpointReference, subgraphs: optional(z.boolean()), select }),
  isRead: true,
});
const update = compatRoute('post', state, {
  asks: [asksState('update'), asksState('read', 'with a checkpoint')],
  body: z.object({
    values: z.unknown(),
    as_node: optional(z.string()),
    checkpoint: optional(checkpointReference),
    checkpoint_id: optional(z.string()),
  }),
});
const history = compatRoute('get', '/threads/{thread_id}/history', {
  asks: [asksState('history')],
  query: z.object({ limit: number, before: z.exactOptional(z.string()) }),
});
const findHistory = compatRoute('post', '/threads/{thread_id}/history', {
  asks: [asksState('history')],
  body: z.object({
    limit: optional(z.int().min(1).max(1000)),
    before: optional(
      z.union([
        z.string(),
        z
          .object({ configurable: checkpointReference })
          .transform(({ configurable }) => configurable.checkpoint_id),
        checkpointReference.transform(({ checkpoint_id: id }) => id),
      ]),
    ),
    metadata: optional(z.record(z.string(), z.unknown())),
    checkpoint: optional(checkpointReference),
    select,
  }),
  isRead: true,
});

export const stateContracts = [storage, find, get, getAt, update, history, findHistory];

/** The metadata key of a thread that names its graph before its first run. */
export const AGENT_KEY = 'graph_id';

/** The routes of thread states, which include the next nodes. */
export function compatStateRoutes(endpoints: Endpoints, services: { states: StateService }): void {
  const { states } = services;

  async function collected(
    principal: Principal,
    threadId: ThreadId,
    question: StateQuestion,
    signal: AbortSignal,
  ): Promise<JsonText[]> {
    const asked = { ...question, agentKey: AGENT_KEY };
    const found: JsonText[] = [];
    for await (const one of await states.describe(principal, threadId, asked, signal)) {
      found.push(one);
    }
    return found;
  }

  async function one(
    principal: Principal,
    threadId: ThreadId,
    { checkpointId, ns, subgraphs }: { checkpointId?: string; ns?: string; subgraphs: boolean },
    signal: AbortSignal,
  ): Promise<JsonText> {
    const question: StateQuestion = { ns: ns ?? '', subgraphs };
    if (isGiven(checkpointId)) {
      // Checked first, because LangGraph treats an unknown checkpoint as an empty one.
      const target = { id: checkpointId, ...(ns !== undefined && { ns }) };
      const { checkpoint } = await states.readCheckpoint(principal, threadId, target);
      Object.assign(question, { ns: checkpoint.ns, checkpointId });
    }
    const [found = jsonText('{}')] = await collected(principal, threadId, question, signal);
    return found;
  }

  endpoints.on(get, async ({ principal, params, query, signal }) => {
    const { subgraphs } = query;
    const found = await one(principal, threadOf(params), { subgraphs }, signal);
    return { status: 200, body: spliced(presentState(found, query.select)) };
  });

  endpoints.on(find, async ({ principal, params, body, signal }) => {
    const { checkpoint_id: checkpointId, checkpoint_ns: ns } = body.checkpoint;
    const at = {
      ...(checkpointId !== undefined && { checkpointId }),
      ...(ns !== undefined && { ns }),
      subgraphs: body.subgraphs ?? false,
    };
    const found = await one(principal, threadOf(params), at, signal);
    return { status: 200, body: spliced(presentState(found, body.select)) };
  });

  endpoints.on(getAt, async ({ principal, params, query, signal }) => {
    const at = { checkpointId: params['checkpoint_id'] ?? '', subgraphs: query.subgraphs };
    const found = await one(principal, threadOf(params), at, signal);
    return { status: 200, body: spliced(presentState(found, query.select)) };
  });

  endpoints.on(storage, async ({ principal, params }) => {
    const threadId = threadOf(params);
    return { status: 200, body: presentStorage(threadId, await states.size(principal, threadId)) };
  });

  endpoints.on(update, async ({ principal, params, body, members, signal }) => {
    const threadId = threadOf(params);
    const checkpointId = body.checkpoint?.checkpoint_id ?? body.checkpoint_id;
    const change = {
      values: members.get('values') ?? jsonText('null'),
      ns: body.checkpoint?.checkpoint_ns ?? '',
      ...(body.as_node !== undefined && { asNode: body.as_node }),
      ...(isGiven(checkpointId) && { checkpointId }),
    };
    const made = await changeState(states, { principal, threadId }, change, signal);
    const checkpoint = {
      thread_id: threadId,
      checkpoint_ns: made?.ns ?? '',
      checkpoint_id: made?.id ?? null,
      checkpoint_map: null,
    };
    return {
      status: 200,
      body: { checkpoint, configurable: checkpoint, checkpoint_id: checkpoint.checkpoint_id },
    };
  });

  endpoints.on(history, async ({ principal, params, query, signal }) => {
    const { limit = 10, before: beforeId } = query;
    const part = { limit, ...(beforeId !== undefined && { beforeId }) };
    const found = await collected(principal, threadOf(params), { ns: '', history: part }, signal);
    return { status: 200, body: presentStates(found).map((text) => spliced(text)) };
  });

  endpoints.on(findHistory, async ({ principal, params, body, signal }) => {
    const { limit = 10, before: beforeId, metadata: filter, checkpoint } = body;
    const question = {
      ns: checkpoint?.checkpoint_ns ?? '',
      history: { limit, ...(isGiven(beforeId) && { beforeId }) },
      ...(filter && { filter }),
    };
    const found = await collected(principal, threadOf(params), question, signal);
    return { status: 200, body: presentStates(found, body.select).map((text) => spliced(text)) };
  });
}

/** Changes the state of a thread, at its head or at a checkpoint, which has to exist. */
export async function changeState(
  states: StateService,
  { principal, threadId }: { principal: Principal; threadId: ThreadId },
  change: Omit<Parameters<StateService['updatePlain']>[2], 'agentKey'>,
  signal: AbortSignal,
): Promise<CheckpointRef | undefined> {
  const { checkpointId, ns } = change;
  if (checkpointId !== undefined) {
    await states.readCheckpoint(principal, threadId, { id: checkpointId, ns });
  }
  return states.updatePlain(principal, threadId, { ...change, agentKey: AGENT_KEY }, signal);
}

function threadOf(params: Record<string, string>): ThreadId {
  return threadIdOf({ thread_id: params['thread_id'] ?? '' });
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}
