import * as contract from '../../contract/run-routes.ts';
import { DEFAULT_LIMIT } from '../../contract/scalars.ts';
import { compositeRunId } from '../../model/ids.ts';
import type { Principal } from '../../model/principal.ts';
import type { RunView } from '../../model/run/run.ts';
import type { RunService } from '../../threads/run-service.ts';
import { hasLeft, type Endpoints } from '../endpoint.ts';
import { paginationHeaders } from '../request/parse-input.ts';
import { asRunNotFound, runKeyOf, threadIdOf, threadRunKeyOf } from '../request/path-ids.ts';
import { presentRun, presentRuns } from '../response/present.ts';
import { runRequestOf } from '../request/run-request.ts';
import { isAwaited, MAX_WAIT_MS, waitWindow } from '../response/wait.ts';

/** Runs, except for their streams (spec: Endpoints, Runs in a thread; Stateless runs and runs by id). */
export function runRoutes(endpoints: Endpoints, services: { runs: RunService }): void {
  const { runs } = services;

  /** Waits for a run that this request created; supports the extension `on_disconnect: cancel`. */
  async function waitFor(
    run: RunView,
    request: { principal: Principal; signal: AbortSignal; isCancelledOnDisconnect: boolean },
    limitMs: number,
  ): Promise<RunView> {
    const { principal, signal, isCancelledOnDisconnect } = request;
    try {
      return await runs.wait(run, { limitMs, signal });
    } catch (error) {
      if (isCancelledOnDisconnect && hasLeft(signal)) await runs.cancelAbandoned(principal, run);
      throw error;
    }
  }

  endpoints.on(
    contract.createRun,
    async ({ principal, params, query, body, members, ...asked }) => {
      const threadId = threadIdOf(params);
      const limitMs = waitWindow(query) ?? 0;
      const creation = {
        idempotency: asked.idempotency,
        ...(limitMs > 0 && { thenDoes: 'service:run:read' as const }),
        isAwaited: isAwaited(limitMs),
      };
      const run = await runs.create(principal, threadId, runRequestOf(body, members), creation);
      // Decisions: "wait". 0 on create means no wait.
      if (limitMs === 0) return accepted(run);
      const isCancelledOnDisconnect = body.on_disconnect === 'cancel';
      const request = { principal, signal: asked.signal, isCancelledOnDisconnect };
      return { status: 200, body: presentRun(await waitFor(run, request, limitMs)) };
    },
  );

  endpoints.on(contract.listRuns, async ({ principal, params, query }) => {
    const page = { limit: query.limit ?? DEFAULT_LIMIT, offset: query.offset ?? 0 };
    const listed = await runs.list(principal, threadIdOf(params), page);
    const length = Math.max(0, Math.min(page.limit, listed.total - page.offset));
    const headers = paginationHeaders(page, { items: { length }, total: listed.total });
    return { status: 200, body: presentRuns(listed.items), headers };
  });

  endpoints.on(contract.getThreadRun, async ({ principal, params }) => {
    const run = await runs.read(principal, threadRunKeyOf(params));
    return { status: 200, body: presentRun(run) };
  });

  endpoints.on(contract.cancelThreadRun, async ({ principal, params }) => {
    const run = await runs.cancel(principal, threadRunKeyOf(params));
    return { status: 202, body: presentRun(run) };
  });

  endpoints.on(contract.createStatelessRun, async ({ principal, body, members, idempotency }) => {
    const request = runRequestOf(body, members);
    return accepted(await runs.createStateless(principal, request, { idempotency }));
  });

  endpoints.on(contract.waitStatelessRun, async ({ principal, query, body, members, ...asked }) => {
    const limitMs = waitWindow(query) ?? MAX_WAIT_MS;
    const asRequested = runRequestOf(body, members);
    const run = await runs.createStateless(principal, asRequested, {
      idempotency: asked.idempotency,
      thenDoes: 'service:run:read',
      isAwaited: isAwaited(limitMs),
    });
    const isCancelledOnDisconnect = body.on_disconnect === 'cancel';
    const request = { principal, signal: asked.signal, isCancelledOnDisconnect };
    return { status: 200, body: presentRun(await waitFor(run, request, limitMs)) };
  });

  endpoints.on(contract.getRun, async ({ principal, params }) => {
    const run = await asRunNotFound(runs.read(principal, runKeyOf(params)));
    return { status: 200, body: presentRun(run) };
  });

  endpoints.on(contract.waitRun, async ({ principal, params, query, signal }) => {
    const limitMs = waitWindow(query) ?? MAX_WAIT_MS;
    const run = await asRunNotFound(runs.read(principal, runKeyOf(params)));
    return { status: 200, body: presentRun(await runs.wait(run, { limitMs, signal })) };
  });

  endpoints.on(contract.cancelRun, async ({ principal, params }) => {
    const run = await asRunNotFound(runs.cancel(principal, runKeyOf(params)));
    return { status: 202, body: presentRun(run) };
  });

  endpoints.on(contract.deleteRun, async ({ principal, params }) => {
    await asRunNotFound(runs.delete(principal, runKeyOf(params)));
    return { status: 204 };
  });
}

function accepted(run: RunView): { status: 202; body: unknown; headers: Record<string, string> } {
  const location = `/runs/${compositeRunId(run.threadId, run.runUuid)}`;
  return {
    status: 202,
    body: presentRun(run),
    headers: { Location: location, 'Content-Location': location },
  };
}
