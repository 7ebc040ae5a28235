import {
  asksRun,
  asksRunList,
  asksRunOnThread,
  asksState,
  asksThreadOfRun,
} from '../../../contract/permissions.ts';
import { ServiceError } from '../../../errors/service-error.ts';
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
import { threadFrames } from './thread-frames.ts';

const EVENTS = '/threads/{thread_id}/stream/events';
const asksEvents = [...asksRunList(), asksRun('stream', 'of each run')];
const asksCommand = [
  ...asksRunOnThread,
  ...asksThreadOfRun,
  asksRun('stream', 'of the run'),
  asksState('read', 'for what the thread waits for, and with `state.get`'),
];

const commands = compatRoute('post', '/threads/{thread_id}/commands', {
  asks: asksCommand,
  body: commandFrame,
});
const events = compatRoute('post', EVENTS, {
  asks: asksEvents,
  body: subscription,
  isRead: true,
});
const socket = compatRoute('get', EVENTS, {
  asks: [...asksEvents, ...asksCommand.map((one) => ({ ...one, when: 'with its command' }))],
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
    const frames = threadFrames(all, { principal, threadId, wanted }, signal);
    const sse = openSse(res, { headers: {}, heartbeatMs: options.heartbeatMs });
    try {
      for await (const frame of frames) {
        await sse.event({ id: frame.seq, name: frame.method, data: frameText(frame) });
      }
    } catch (error) {
      if (!signal.aborted) options.onFailure(error);
    }
    sse.end();
    return undefined;
  });

  endpoints.on(socket, async ({ principal, params, res, signal }) => {
    const threadId = threadIdOf({ thread_id: params['thread_id'] ?? '' });
    const upgrade = upgradeOf(res);
    if (upgrade === undefined) {
      const message = 'This path is a WebSocket; POST to it opens a stream of events.';
      throw new ServiceError('invalid_request', message);
    }
    await serveSocket(all, { principal, threadId, signal }, { res, upgrade }, options);
    return undefined;
  });
}
