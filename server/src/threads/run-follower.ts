import type { EnginePort } from '../engine/port.ts';
import type { JsonText } from '../model/json.ts';
import { compositeRunId, type RunId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import { isSettled, type RunView } from '../model/run/run.ts';
import { readForAll } from '../observability/reading-client.ts';
import { plainValuesText } from '../model/checkpoint/state-values.ts';
import type { PolicyPort } from '../policy/port.ts';
import { requirePermissionInThread } from '../policy/require-permission.ts';
import { runResource } from '../policy/resources.ts';
import type { RunEvent, StreamPort } from '../streams/port.ts';
import type { RunKey } from './run-request.ts';
import { createSharedReads } from './shared-reads.ts';

/** What a follower of a run receives: events and gaps, and finally the settled run. */
export type Followed =
  | { kind: 'event'; event: RunEvent }
  /** Earlier events are deleted: the values of the last checkpoint replace them. */
  | { kind: 'gap'; id: number; values: JsonText }
  /** `id` is that of the newest event. */
  | { kind: 'end'; id: number; run: RunView };

/** Follows runs while they are active, and afterwards for as long as their events are retained. */
export interface RunFollower {
  /** Returns the run to follow, if the policy permits it. */
  start(principal: Principal, key: RunKey): Promise<RunView>;
  /** Ends after the settled run, or with the signal. Rejects when the run's end cannot be determined. */
  follow(run: RunView, after: number | 'now', signal: AbortSignal): AsyncGenerator<Followed>;
}

/** Makes a follower over its ports. */
export function createRunFollower(ports: {
  engine: EnginePort;
  policy: PolicyPort;
  streams: StreamPort;
}): RunFollower {
  const { engine, streams } = ports;
  /** A thread handles only some dozens of queries at a time, so concurrent readers share one. */
  const share = createSharedReads<RunView>();

  /** A settled run's own output; otherwise, or when it has none, the head of its thread. */
  async function lastValues({ threadId, runUuid }: RunView): Promise<JsonText> {
    const run = await engine.readRun(threadId, runUuid);
    return run.output ?? plainValuesText((await engine.readState(threadId)).values);
  }

  /** One wait per run, shared by all its followers: each separate wait would query the thread repeatedly. */
  const waits = new Map<
    RunId,
    { followers: number; end: AbortController; run: Promise<RunView> }
  >();

  function awaitShared({ threadId, runUuid }: RunView, signal: AbortSignal): Promise<RunView> {
    const runId = compositeRunId(threadId, runUuid);
    let wait = waits.get(runId);
    if (!wait) {
      const end = new AbortController();
      const run = readForAll(() => engine.awaitRun(threadId, runUuid, end.signal));
      wait = { followers: 0, end, run };
      waits.set(runId, wait);
    }
    const shared = wait;
    shared.followers += 1;
    const leave = (): void => {
      shared.followers -= 1;
      if (shared.followers > 0) return;
      if (waits.get(runId) === shared) waits.delete(runId);
      shared.end.abort();
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    return shared.run;
  }

  return {
    async start(principal, key) {
      const resource = runResource(key.threadId, key.runUuid);
      const given = { run_id: key.runUuid };
      const question = { principal, operation: 'service:run:stream' as const, resource, given };
      await requirePermissionInThread(ports, key.threadId, question);
      const place = compositeRunId(key.threadId, key.runUuid);
      return share(place, () => engine.readRun(key.threadId, key.runUuid));
    },

    async *follow(run, after, signal) {
      const runId = compositeRunId(run.threadId, run.runUuid);
      const reading = new AbortController();
      const stop = (): void => reading.abort();
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
      // A queued run has no log yet, and one that is cancelled while queued gets no end in it:
      // so the log is opened here, and closed once the run is known to be settled.
      if (!isSettled(run.status)) streams.open(runId);
      const items = streams.read(runId, after, reading.signal);
      const settled = isSettled(run.status)
        ? Promise.resolve(run)
        : awaitShared(run, reading.signal);
      settled.then(() => streams.close(runId), stop);
      try {
        let id = after === 'now' ? streams.lastId(runId) : after;
        for await (const item of items) {
          if (item.kind === 'gap') {
            id = Math.max(id, item.lostThrough);
            yield { kind: 'gap', id, values: await lastValues(run) };
          } else {
            id = item.event.id;
            yield { kind: 'event', event: item.event };
          }
        }
        if (!signal.aborted) yield { kind: 'end', id, run: await settled };
      } finally {
        stop();
        signal.removeEventListener('abort', stop);
      }
    },
  };
}
