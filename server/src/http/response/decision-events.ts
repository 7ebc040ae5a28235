import type { ServerResponse } from 'node:http';
import type { FollowedDecision } from '../../policy/log/decision-memory.ts';
import { writeJson } from './json-writer.ts';
import { presentRecord } from './present-policy.ts';
import { writeFailure } from './run-events.ts';
import { openSse } from './sse.ts';

/** Writes decisions as they arrive, until `signal` fires. */
export async function streamDecisionEvents(
  res: ServerResponse,
  decisions: AsyncIterable<FollowedDecision>,
  options: { signal: AbortSignal; heartbeatMs: number; onFailure: (error: unknown) => void },
): Promise<void> {
  const { signal, heartbeatMs, onFailure } = options;
  const sse = openSse(res, { headers: {}, heartbeatMs });
  if (res.req.method === 'HEAD') {
    sse.end();
    return;
  }
  try {
    for await (const one of decisions) {
      if (one === 'gap') await sse.comment('gap');
      else {
        await sse.event({ id: one.id, name: 'decision', data: writeJson(presentRecord(one)) });
      }
    }
    await writeFailure(sse, signal.reason);
  } catch (error) {
    onFailure(error);
    await writeFailure(sse, error);
  }
  sse.end();
}
