import { withTimeLimit } from '../concurrency/concurrency.ts';
import type { Engine } from '../engine/engine.ts';
import type { JsonText } from '../model/json.ts';
import { compositeRunId, type RunId } from '../model/ids.ts';
import { QUESTION_HOLD_MS } from '../model/limits/run-waits.ts';
import type { Principal } from '../model/principal.ts';
import { isSettled, type RunView } from '../model/run/run.ts';
import { readForAll } from '../observability/reading-client.ts';
import { plainValuesText } from '../model/checkpoint/state-values.ts';
import type { PolicyPort } from '../policy/port.ts';
import { requirePermissionInThread } from '../policy/require-permission.ts';
import { runResource } from '../policy/resources.ts';
import type { RunEvent, StreamPort } from '../streams/port.ts';
import type { RunKey } from './run-request.ts';
import { createSharedReads, type SharedReads } from './shared-reads.ts';

/** What a follower of a run receives: events and gaps, and finally the settled run. */
export type Followed =
  | { kind: 'event'; event: RunEvent }
  /** Earlier events are deleted: the values of the last checkpoint replace them. */
  | { kind: 'gap'; id: number; values: JsonText }
  /** `id` is that of the newest event. */
  | { kind: 'end'; id: number; run: RunView };

/** What the service needs. */
export interface RunFollowerPorts {
  engine: Engine;
  policy: PolicyPort;
  streams: StreamPort;
}

/** Follows runs while they are active, and afterwards for as long as their events are retained. */
export class RunFollower {
  readonly #ports: RunFollowerPorts;
  /** A thread handles only some dozens of queries at a time, so concurrent readers share one. */
  readonly #share: SharedReads<RunView>;
  /** One wait per run, shared by all its followers: each separate wait would query the thread repeatedly. */
  readonly #waits = new Map<
    RunId,
    { followers: number; end: AbortController; run: Promise<RunView> }
  >();

  constructor(ports: RunFollowerPorts) {
    this.#ports = ports;
    this.#share = createSharedReads<RunView>();
  }

  /** Returns the run to follow, if the policy permits it. */
  async start(principal: Principal, key: RunKey): Promise<RunView> {
    const resource = runResource(key.threadId, key.runUuid);
    const given = { run_id: key.runUuid };
    const question = { principal, operation: 'service:run:stream' as const, resource, given };
    await requirePermissionInThread(this.#ports, key.threadId, question);
    const id = compositeRunId(key.threadId, key.runUuid);
    return this.#share(id, () => this.#ports.engine.runs.read(key.threadId, key.runUuid));
  }

  /** Ends after the settled run, or with the signal. Rejects when the run's end cannot be determined. */
  async *follow(
    run: RunView,
    after: number | 'now',
    signal: AbortSignal,
  ): AsyncGenerator<Followed> {
    const runId = compositeRunId(run.threadId, run.runUuid);
    const reading = new AbortController();
    const stop = (): void => reading.abort();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    // A queued run has no log yet, and one that is cancelled while queued gets no end in it:
    // so the log is opened here, and closed once the run is known to be settled.
    if (!isSettled(run.status)) this.#ports.streams.open(runId);
    const items = this.#ports.streams.read(runId, after, reading.signal);
    const settled = isSettled(run.status)
      ? Promise.resolve(run)
      : this.#awaitShared(run, reading.signal);
    settled.then(() => this.#ports.streams.close(runId), stop);
    try {
      let id = after === 'now' ? this.#ports.streams.lastId(runId) : after;
      for await (const item of items) {
        if (item.kind === 'gap') {
          id = Math.max(id, item.lostThrough);
          yield { kind: 'gap', id, values: await this.#lastValues(run) };
        } else {
          id = item.event.id;
          if (hasQuestion(item.event)) await untilKept(item.event, settled);
          yield { kind: 'event', event: item.event };
        }
      }
      if (!signal.aborted) yield { kind: 'end', id, run: await settled };
    } finally {
      stop();
      signal.removeEventListener('abort', stop);
    }
  }

  /** A settled run's own output; otherwise, or when it has none, the head of its thread. */
  async #lastValues({ threadId, runUuid }: RunView): Promise<JsonText> {
    const run = await this.#ports.engine.runs.read(threadId, runUuid);
    return run.output ?? plainValuesText((await this.#ports.engine.states.head(threadId)).values);
  }

  #awaitShared({ threadId, runUuid }: RunView, signal: AbortSignal): Promise<RunView> {
    const runId = compositeRunId(threadId, runUuid);
    let wait = this.#waits.get(runId);
    if (!wait) {
      const end = new AbortController();
      const run = readForAll(() =>
        this.#ports.engine.runs.whenSettled(threadId, runUuid, end.signal),
      );
      wait = { followers: 0, end, run };
      this.#waits.set(runId, wait);
    }
    const shared = wait;
    shared.followers += 1;
    const leave = (): void => {
      shared.followers -= 1;
      if (shared.followers > 0) return;
      if (this.#waits.get(runId) === shared) this.#waits.delete(runId);
      shared.end.abort();
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    return shared.run;
  }
}

/** Whether an event has questions. A text that only looks like it costs its readers a short wait. */
function hasQuestion({ mode, data }: RunEvent): boolean {
  return (mode === 'values' || mode === 'updates') && data.includes('"__interrupt__"');
}

/**
 * Waits until the thread has a question that its guest has sent, because a client may act on it at once: answer it, or
 * read the state. A run that asks is usually settled next. Questions that were sent together wait together.
 */
async function untilKept({ at = Date.now() }: RunEvent, settled: Promise<unknown>): Promise<void> {
  const leftMs = Math.min(at + QUESTION_HOLD_MS - Date.now(), QUESTION_HOLD_MS);
  if (leftMs <= 0) return;
  // An end that remains unknown is reported at the end of the stream.
  await withTimeLimit(settled, leftMs, 'The end of the run').catch(() => undefined);
}
