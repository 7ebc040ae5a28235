import { z } from 'zod';
import { ServiceError } from '../../errors/service-error.ts';
import { fromBytes, toBytes } from '../../model/frame.ts';
import type { RunUuid, ThreadId } from '../../model/ids.ts';
import type { JsonText } from '../../model/json.ts';
import type { Principal } from '../../model/principal.ts';
import { isSettled, type RunView } from '../../model/run/run.ts';
import type { RunFollower } from '../../threads/run-follower.ts';
import type { StateService } from '../../threads/state-service.ts';
import type { Endpoints } from '../endpoint.ts';
import { topLevelParts } from '../response/json-parts.ts';
import { threadIdOf, threadRunKeyOf } from '../request/path-ids.ts';
import { scanObject } from '../response/raw-members.ts';
import { parseInput } from '../request/parse-input.ts';
import { type BeginRun, type BeginRunServices, createBeginRun } from './begin-run.ts';
import { selected } from './compat-route.ts';
import { type RunEnds, runFollowing } from './follow-run.ts';
import { respondWithKeepAlive } from './keep-alive-response.ts';
import { resumedRun } from './outer-graph.ts';
import { compatStatus, presentCompatRun, runLocations } from './present-run.ts';
import { modesOf, runBody, streamMode } from './run-body.ts';
import {
  batch,
  cancel,
  cancelMany,
  create,
  createStateless,
  get,
  join,
  joinStream,
  list,
  remove,
  stream,
  streamStateless,
  wait,
  waitStateless,
} from './run-contracts.ts';
import { awaitOutcome, NO_LIMIT_MS } from './run-outcome.ts';
import { NO_EVENT } from './run-stream.ts';

export interface CompatRunServices extends BeginRunServices {
  states: StateService;
  follower: RunFollower;
}

/** Runs on threads, and stateless runs. */
export function compatRunRoutes(
  endpoints: Endpoints,
  services: CompatRunServices,
  options: {
    checkpointHistory: number | undefined;
    heartbeatMs: number;
    onFailure: (error: unknown) => void;
  },
): void {
  const { runs, follower } = services;
  const start = createBeginRun(services, options);
  const begin: BeginRun = async (asked, target) =>
    start(await resumedRun(services.states, asked, target), target);
  const follow = runFollowing(services, options);

  async function respondWithOutcome(
    principal: Principal,
    begun: RunView,
    ends: RunEnds,
  ): Promise<undefined> {
    const headers = runLocations(begun, '/join');
    const outcome = awaitOutcome(services, { principal, begun }, ends);
    const values = outcome.then((awaited) => awaited.values);
    await respondWithKeepAlive(ends.res, headers, values);
    return undefined;
  }

  for (const contract of [create, createStateless]) {
    endpoints.on(contract, async ({ params, ...asked }) => {
      const begun = await begin(asked, { threadId: threadOf(params) });
      const headers = runLocations(begun, '');
      return { status: 200, body: presentCompatRun(begun), headers };
    });
  }

  for (const contract of [wait, waitStateless]) {
    endpoints.on(contract, async (request) => {
      const threadId = threadOf(request.params);
      const then = { thenDoes: 'service:run:read', isAwaited: true } as const;
      const begun = await begin(request, { threadId, ...then });
      const { principal, res, signal, body } = request;
      const isCancelledOnDisconnect = body.on_disconnect === 'cancel';
      return respondWithOutcome(principal, begun, { res, signal, isCancelledOnDisconnect });
    });
  }

  for (const contract of [stream, streamStateless]) {
    endpoints.on(contract, async (request) => {
      const threadId = threadOf(request.params);
      const begun = await begin(request, { threadId, thenDoes: 'service:run:stream' });
      const { principal, res, signal, body } = request;
      const isCancelledOnDisconnect = body.on_disconnect === 'cancel';
      const reader = { run: begun, after: NO_EVENT, modes: modesOf(body) };
      return follow(principal, reader, { res, signal, isCancelledOnDisconnect });
    });
  }

  endpoints.on(batch, async ({ principal, body, members }) => {
    const texts = await elementsOf(members.get('items'));
    const asked = body.items.map((item, at) => ({
      principal,
      body: parseInput(runBody, item),
      members: scanObject(texts[at] ?? '{}').members,
    }));
    const begun = await Promise.all(asked.map((one) => begin(one, { threadId: undefined })));
    return { status: 200, body: begun.map(presentCompatRun) };
  });

  endpoints.on(list, async ({ principal, params, query }) => {
    const { limit = 10, offset = 0, status, select } = query;
    const threadId = threadIdOf(placed(params));
    // The engine cannot filter by status, so all runs are read and filtered here.
    const page = status === undefined ? { limit, offset } : { limit: 1000, offset: 0 };
    const found: object[] = [];
    for await (const one of (await runs.list(principal, threadId, page)).items) {
      if (status === undefined || compatStatus(one) === status) {
        found.push(selected(presentCompatRun(one), select));
      }
    }
    const body = status === undefined ? found : found.slice(offset, offset + limit);
    return { status: 200, body };
  });

  endpoints.on(get, async ({ principal, params }) => {
    const found = await runs.read(principal, threadRunKeyOf(placed(params)));
    return { status: 200, body: presentCompatRun(found) };
  });

  endpoints.on(remove, async ({ principal, params }) => {
    await runs.delete(principal, threadRunKeyOf(placed(params)));
    return { status: 204 };
  });

  endpoints.on(join, async ({ principal, params, query, res, signal }) => {
    const begun = await runs.read(principal, threadRunKeyOf(placed(params)));
    const isCancelledOnDisconnect = query.cancel_on_disconnect;
    return respondWithOutcome(principal, begun, { res, signal, isCancelledOnDisconnect });
  });

  endpoints.on(joinStream, async ({ principal, params, query, headers, res, signal }) => {
    const begun = await follower.start(principal, threadRunKeyOf(placed(params)));
    const modes = query.stream_mode && parseInput(modeList, { modes: query.stream_mode }).modes;
    const after = lastEvent(headers['last-event-id'] ?? query.last_event_id?.[0]);
    const isCancelledOnDisconnect = query.cancel_on_disconnect;
    return follow(
      principal,
      { run: begun, after, modes },
      { res, signal, isCancelledOnDisconnect },
    );
  });

  endpoints.on(cancel, async ({ principal, params, query, signal }) => {
    const key = threadRunKeyOf(placed(params));
    if (query.action === 'rollback') {
      await runs.rollBack(principal, key, signal);
      return { status: 204 };
    }
    const cancelled = await runs.cancel(principal, key);
    if (!query.wait) return { status: 202, body: {} };
    if (!isSettled(cancelled.status)) await runs.wait(cancelled, { limitMs: NO_LIMIT_MS, signal });
    return { status: 204 };
  });

  endpoints.on(cancelMany, async ({ principal, query, body, signal }) => {
    const threadId = threadIdOf({ thread_id: requireThread(body.thread_id) });
    const named = body.run_ids?.map((id) => threadRunKeyOf({ thread_id: threadId, run_id: id }));
    const wanted = named ?? (await activeRuns(principal, threadId, body.status ?? 'all'));
    for (const { runUuid } of wanted) {
      const key = { threadId, runUuid };
      if (query.action === 'rollback') await runs.rollBack(principal, key, signal);
      else await runs.cancel(principal, key);
    }
    return { status: 204 };
  });

  async function activeRuns(
    principal: Principal,
    threadId: ThreadId,
    status: 'pending' | 'running' | 'all',
  ): Promise<{ runUuid: RunUuid }[]> {
    const found: { runUuid: RunUuid }[] = [];
    const listed = await runs.list(principal, threadId, { limit: 1000, offset: 0 });
    for await (const one of listed.items) {
      const runStatus = compatStatus(one);
      const isActive = runStatus === 'pending' || runStatus === 'running';
      if (isActive && (status === 'all' || runStatus === status)) found.push(one);
    }
    return found;
  }
}

const modeList = z.object({ modes: streamMode.transform((given) => [given].flat()) });

function threadOf(params: Record<string, string>): ThreadId | undefined {
  const { thread_id: threadId } = params;
  return threadId === undefined ? undefined : threadIdOf({ thread_id: threadId });
}

/** The two ids of a path; an absent one becomes an empty string, which is no valid id. */
function placed(params: Record<string, string>): { thread_id: string; run_id: string } {
  return { thread_id: params['thread_id'] ?? '', run_id: params['run_id'] ?? '' };
}

function requireThread(threadId: string | undefined): string {
  if (threadId !== undefined) return threadId;
  const message = 'is required: runs are cancelled thread by thread';
  throw new ServiceError('invalid_request', `thread_id ${message}.`, {
    details: { issues: [{ path: 'thread_id', message }] },
  });
}

/** `-1`, and any other value that is no event id, means from the start. */
export function lastEvent(id: string | string[] | undefined): number {
  return typeof id === 'string' && /^\d{1,16}$/.test(id) ? Number(id) : NO_EVENT;
}

/** The elements of an array as they were sent. */
async function elementsOf(list: JsonText | undefined): Promise<string[]> {
  const elements: string[] = [];
  for await (const part of topLevelParts(toBytes(list ?? '[]'))) elements.push(fromBytes(part));
  return elements;
}
