import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { asksRun, asksRunList } from '../../contract/permissions.ts';
import { toJsonText } from '../../model/json.ts';
import { isSettled, type RunView } from '../../model/run/run.ts';
import type { AgentsPort } from '../../threads/ports.ts';
import type { RunFollower } from '../../threads/run-follower.ts';
import type { RunService } from '../../threads/run-service.ts';
import type { Endpoints } from '../endpoint.ts';
import { threadIdOf } from '../request/path-ids.ts';
import { openSse, type SseWriter } from '../response/sse.ts';
import { isInJavaScript } from './agent-language.ts';
import { compatRoute } from './compat-route.ts';
import { NO_EVENT, writeCompatRun } from './run-stream.ts';

const join = compatRoute('get', '/threads/{thread_id}/stream', {
  asks: [...asksRunList(), asksRun('stream', 'of each run')],
  query: z.object({
    stream_mode: z
      .literal(['run_modes', ''], { error: 'must be run_modes: nothing else is streamed here' })
      .optional(),
  }),
});

export const threadStreamContracts = [join];

/** How often an idle thread is checked for new runs. */
const LOOK_EVERY_MS = 1_000;
/** Fewer runs than this begin between two checks. */
const LOOKED_AT = 100;

/** The events on a thread from now on: those of its runs, one run after the other. */
export function compatThreadStream(
  endpoints: Endpoints,
  services: { runs: RunService; follower: RunFollower; known: AgentsPort },
  options: { heartbeatMs: number; onFailure: (error: unknown) => void },
): void {
  const { runs, follower, known } = services;

  endpoints.on(join, async ({ principal, params, res, signal }) => {
    const threadId = threadIdOf({ thread_id: params['thread_id'] ?? '' });
    // The policy is asked when the stream opens and about each run that it follows, not at every check.
    const listRuns = await runs.lister(principal, threadId);
    const newest = (limit: number) => newestOf(listRuns, limit);
    let found = await newest(LOOKED_AT);
    const seen = new Set(found.filter(({ status }) => isSettled(status)).map(keyOf));
    const sse = withoutIds(openSse(res, { headers: {}, heartbeatMs: options.heartbeatMs }));
    try {
      while (!signal.aborted) {
        for (const run of found.filter((one) => !seen.has(keyOf(one)))) {
          seen.add(keyOf(run));
          const permitted = await follower.start(principal, run);
          const isJavaScript = isInJavaScript(known, run.agentId);
          await writeCompatRun(
            sse,
            follower,
            { run: permitted, after: NO_EVENT, modes: undefined, isJavaScript },
            signal,
          );
          const data = toJsonText({ status: 'run_done', run_id: run.runUuid });
          await sse.event({ name: 'metadata', data });
        }
        await pause(LOOK_EVERY_MS, undefined, { signal });
        // If the newest run is known, all runs are.
        found = await newest(1);
        if (found.some((run) => !seen.has(keyOf(run)))) found = await newest(LOOKED_AT);
      }
    } catch (error) {
      if (!signal.aborted) options.onFailure(error);
    }
    sse.end();
    return undefined;
  });
}

/** The newest runs, oldest first. */
async function newestOf(
  list: Awaited<ReturnType<RunService['lister']>>,
  limit: number,
): Promise<RunView[]> {
  const found: RunView[] = [];
  for await (const run of (await list({ limit, offset: 0 })).items) found.unshift(run);
  return found;
}

function keyOf({ runUuid }: RunView): string {
  return runUuid;
}

/** Event ids restart with each run, so on a stream of several runs they would be ambiguous. */
function withoutIds(sse: SseWriter): SseWriter {
  return { ...sse, event: ({ name, data }) => sse.event({ name, data }) };
}
