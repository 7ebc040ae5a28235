import { newThreadId } from '../../threads/new-ids.ts';
import type { HistoryService } from '../../threads/history-service.ts';
import type { RunKey } from '../../threads/run-request.ts';
import { isSettled, type RunView } from '../../model/run/run.ts';
import type { Principal } from '../../model/principal.ts';
import { createBeginRun, type RunTarget } from '../compat/begin-run.ts';
import { type RunEnds, runFollowing } from '../compat/follow-run.ts';
import { respondWithKeepAlive } from '../compat/keep-alive-response.ts';
import { modesOf } from '../compat/run-body.ts';
import { awaitOutcome, NO_LIMIT_MS } from '../compat/run-outcome.ts';
import { type CompatRunServices, lastEvent } from '../compat/run-routes.ts';
import { NO_EVENT } from '../compat/run-stream.ts';
import type { EndpointRequest, Endpoints } from '../endpoint.ts';
import { asRunNotFound, bareRunUuidOf, threadIdOf } from '../request/path-ids.ts';
import { presentOutcome, presentProtocolRun } from './present-protocol.ts';
import { compatRunOf } from './run-body.ts';
import {
  cancel,
  create,
  get,
  join,
  joinStream,
  remove,
  search,
  stream,
  wait,
} from './run-contracts.ts';
import { foundRuns } from './run-search.ts';

/** Runs, which are known by their uuid alone, on the threads that they name or on their own. */
export function protocolRunRoutes(
  endpoints: Endpoints,
  services: CompatRunServices & { history: HistoryService },
  options: {
    checkpointHistory: number | undefined;
    heartbeatMs: number;
    onFailure: (error: unknown) => void;
  },
): void {
  const { runs, follower, history } = services;
  const beginCompat = createBeginRun(services, options);
  const follow = runFollowing(services, options);

  function begin(
    { principal, body, members, idempotency }: EndpointRequest<typeof create>,
    then: Pick<RunTarget, 'thenDoes' | 'isAwaited'> = {},
  ): Promise<RunView> {
    const asked = compatRunOf(body, members);
    const { thread_id: id, on_completion: end } = body;
    const isKept = id === undefined && end === 'keep';
    // A thread that is kept is one that the run makes.
    if (isKept) asked.body.if_not_exists = 'create';
    const named = id === undefined ? undefined : threadIdOf({ thread_id: id });
    const threadId = isKept ? newThreadId() : named;
    const how = { ...then, threadId, isNamedByRun: true };
    return beginCompat({ principal, idempotency, ...asked }, how);
  }

  function keyOf({ run_id: id = '' }: Record<string, string>): Promise<RunKey> {
    return history.keyOf(bareRunUuidOf({ run_id: id }));
  }

  async function respondWithOutcome(
    principal: Principal,
    begun: RunView,
    ends: RunEnds,
  ): Promise<undefined> {
    const outcome = awaitOutcome(services, { principal, begun }, ends);
    const document = outcome.then(({ run, values }) => presentOutcome(run, values));
    await respondWithKeepAlive(ends.res, headersOf(begun, '/wait'), document);
    return undefined;
  }

  endpoints.on(create, async (request) => {
    const begun = await begin(request);
    return { status: 200, body: presentProtocolRun(begun), headers: headersOf(begun, '') };
  });

  endpoints.on(wait, async (request) => {
    const begun = await begin(request, { thenDoes: 'service:run:read', isAwaited: true });
    return respondWithOutcome(request.principal, begun, endsOf(request));
  });

  endpoints.on(stream, async (request) => {
    const begun = await begin(request, { thenDoes: 'service:run:stream' });
    const reader = {
      ...{ run: begun, after: NO_EVENT, modes: modesOf(request.body) },
      headers: headersOf(begun, '/stream'),
    };
    return follow(request.principal, reader, endsOf(request));
  });

  endpoints.on(search, async ({ principal, body }) => {
    return { status: 200, body: await foundRuns(services, principal, body) };
  });

  endpoints.on(get, async ({ principal, params }) => {
    const run = await asRunNotFound(runs.read(principal, await keyOf(params)));
    return { status: 200, body: presentProtocolRun(run) };
  });

  endpoints.on(remove, async ({ principal, params }) => {
    await asRunNotFound(runs.delete(principal, await keyOf(params)));
    return { status: 204 };
  });

  endpoints.on(join, async ({ principal, params, res, signal }) => {
    const begun = await asRunNotFound(runs.read(principal, await keyOf(params)));
    return respondWithOutcome(principal, begun, { res, signal, isCancelledOnDisconnect: false });
  });

  endpoints.on(joinStream, async ({ principal, params, headers, res, signal }) => {
    const run = await asRunNotFound(follower.start(principal, await keyOf(params)));
    const after = lastEvent(headers['last-event-id']);
    const reader = { run, after, modes: undefined, headers: headersOf(run, '/stream') };
    return follow(principal, reader, { res, signal, isCancelledOnDisconnect: false });
  });

  endpoints.on(cancel, async ({ principal, params, query, signal }) => {
    const key = await keyOf(params);
    if (query.action === 'rollback') {
      await asRunNotFound(runs.rollBack(principal, key, signal));
      return { status: 204 };
    }
    const cancelled = await asRunNotFound(runs.cancel(principal, key));
    const isAwaited = query.wait && !isSettled(cancelled.status);
    if (isAwaited) await runs.wait(cancelled, { limitMs: NO_LIMIT_MS, signal });
    return { status: 204 };
  });
}

/** Where the run is, and where its events go on. */
function headersOf({ runUuid }: RunView, rest: string): Record<string, string> {
  const url = `/runs/${runUuid}`;
  return { 'Content-Location': url, Location: `${url}${rest}` };
}

/** A run that is waited for ends with its client, unless the request says otherwise. */
function endsOf({ res, signal, body }: EndpointRequest<typeof wait>): RunEnds {
  return { res, signal, isCancelledOnDisconnect: body.on_disconnect !== 'continue' };
}
