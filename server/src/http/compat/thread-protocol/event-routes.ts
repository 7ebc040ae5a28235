import { asksCommand, asksRun, asksRunList } from '../../../contract/permissions.ts';
import { isServiceError, ServiceError } from '../../../errors/service-error.ts';
import type { RunFollower } from '../../../threads/run-follower.ts';
import type { StateService } from '../../../threads/state-service.ts';
import type { Endpoints } from '../../endpoint.ts';
import { threadIdOf } from '../../request/path-ids.ts';
import { openSse } from '../../response/sse.ts';
import { upgradeOf } from '../../server/upgrades.ts';
import { type BeginRunServices, createBeginRun } from '../begin-run.ts';
import { compatRoute } from '../compat-route.ts';
import { AwaitedEnds } from './awaited-ends.ts';
import { carryOut, commandFrame, paramsOf } from './commands.ts';
import { frameText } from './frame.ts';
import { serveSocket } from './socket.ts';
import { subscription } from './subscription.ts';
import { requireOpening, threadFrames } from './thread-frames.ts';

const EVENTS = '/threads/{thread_id}/stream/events';
/** On a WebSocket each command and each subscription asks for itself, what the other two ask. */
const asksOpening = asksRunList();

const commands = compatRoute('post', '/threads/{thread_id}/commands', {
  asks: asksCommand,
  body: commandFrame,
});
const events = compatRoute('post', EVENTS, {
  asks: [...asksOpening, asksRun('stream', 'of each run')],
  body: subscription,
  isRead: true,
});
const socket = compatRoute('get', EVENTS, {
  asks: asksOpening,
  // A page of any origin may open a WebSocket, and its browser reports which.
  changes: () => true,
});

export const threadProtocolContracts = [commands, events, socket];

/** LangGraph's streaming protocol of threads: commands and events over HTTP, and both on a WebSocket. */
export function threadProtocolRoutes(
  endpoints: Endpoints,
  services: BeginRunServices & { states: StateService; follower: RunFollower },
  options: {
    checkpointHistory: number | undefined;
    heartbeatMs: number;
    onFailure: (error: unknown) => void;
  },
): void {
  const begin = createBeginRun(services, options);
  const all = { ...services, begin, awaitedEnds: new AwaitedEnds() };

  endpoints.on(commands, async ({ principal, params, body, members, signal }) => {
    const threadId = threadIdOf({ thread_id: params['thread_id'] ?? '' });
    const { id, method, params: given = {} } = body;
    const command = { id, method, params: given, members: paramsOf(members) };
    return { status: 200, body: await carryOut(all, { principal, threadId, signal }, command) };
  });

  endpoints.on(events, async ({ principal, params, body: wanted, res, signal }) => {
    const threadId = threadIdOf({ thread_id: params['thread_id'] ?? '' });
    await requireOpening(services.runs, principal, threadId);
    const frames = threadFrames(all, { principal, threadId, wanted }, signal);
    const sse = openSse(res, { headers: {}, heartbeatMs: options.heartbeatMs });
    try {
      for await (const frame of frames) {
        await sse.event({ id: frame.seq, name: frame.method, data: frameText(frame) });
      }
    } catch (error) {
      const isDenied = isServiceError(error) && error.code === 'permission_denied';
      if (!signal.aborted && !isDenied) options.onFailure(error);
    }
    sse.end();
    return undefined;
  });

  endpoints.on(socket, async ({ principal, params, res, signal }) => {
    const threadId = threadIdOf({ thread_id: params['thread_id'] ?? '' });
    await requireOpening(services.runs, principal, threadId);
    const upgrade = upgradeOf(res);
    if (upgrade === undefined) {
      const message = 'This path is a WebSocket; POST to it opens a stream of events.';
      throw new ServiceError('invalid_request', message);
    }
    await serveSocket(all, { principal, threadId, signal }, { res, upgrade }, options);
    return undefined;
  });
}
