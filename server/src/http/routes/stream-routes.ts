import type { z } from 'zod';
import * as contract from '../../contract/run-routes.ts';
import type { RunFollower } from '../../threads/run-follower.ts';
import type { RunService } from '../../threads/run-service.ts';
import { type EndpointRequest, type Endpoints, hasLeft } from '../endpoint.ts';
import { lastEventIdOf } from '../request/parse-input.ts';
import { asRunNotFound, runKeyOf, threadRunKeyOf } from '../request/path-ids.ts';
import {
  runStream,
  statelessStream,
  type StreamedRun,
  type StreamFormat,
  streamRunEvents,
  threadStream,
} from '../response/run-events.ts';
import { runRequestOf } from '../request/run-request.ts';

type StreamQuery = z.infer<typeof contract.streamQuery>;
type Ends = Pick<EndpointRequest<typeof contract.streamRun>, 'res' | 'signal'>;

/** The three event streams (spec: Events). */
export function streamRoutes(
  endpoints: Endpoints,
  services: { runs: RunService; follower: RunFollower },
  options: {
    heartbeatMs: number;
    onFailure: (error: unknown) => void;
    readers?: { inc(): void; dec(): void };
  },
): void {
  const { runs, follower } = services;

  async function write(ends: Ends, format: StreamFormat, streamed: StreamedRun): Promise<boolean> {
    const { res, signal } = ends;
    options.readers?.inc();
    try {
      return await streamRunEvents(res, follower, format, streamed, { ...options, signal });
    } finally {
      options.readers?.dec();
    }
  }

  endpoints.on(contract.streamThreadRun, async ({ principal, params, query, headers, ...ends }) => {
    const asked = streamAsked(query, headers['last-event-id']);
    const run = await follower.start(principal, threadRunKeyOf(params));
    await write(ends, threadStream, { run, ...asked });
    return undefined;
  });

  endpoints.on(contract.streamRun, async ({ principal, params, query, headers, ...ends }) => {
    const asked = streamAsked(query, headers['last-event-id']);
    const run = await asRunNotFound(follower.start(principal, runKeyOf(params)));
    await write(ends, runStream, { run, ...asked });
    return undefined;
  });

  endpoints.on(
    contract.streamStatelessRun,
    async ({ principal, query, body, members, idempotency, ...ends }) => {
      const request = runRequestOf(body, members, query.stream_mode);
      const thenDoes = 'service:run:stream';
      const run = await runs.createStateless(principal, request, { idempotency, thenDoes });
      const hasEnded = await write(ends, statelessStream, {
        run,
        after: 0,
        modes: undefined,
        hasTimes: false,
      });
      if (!hasEnded && body.on_disconnect === 'cancel' && hasLeft(ends.signal)) {
        await runs.cancelAbandoned(principal, run);
      }
      return undefined;
    },
  );
}

/** The requested start, chunk types and times of a stream. */
function streamAsked(
  query: StreamQuery,
  lastEventId: string | string[] | undefined,
): Omit<StreamedRun, 'run'> {
  const after = lastEventIdOf(lastEventId, query.last_event_id);
  const modes = query.stream_mode === undefined ? undefined : new Set([query.stream_mode].flat());
  const asked = { modes, hasTimes: query.event_times === 'true' };
  return { after: after ?? (query.replay === 'false' ? 'now' : 0), ...asked };
}
