import { ApiError, toApiError } from './errors.ts';
import { timeInPayload } from './event-time.ts';
import { createRateMeter } from './rate-meter.ts';
import { readEvents } from './read-events.ts';
import { createReconnectDelay, isWorthRepeating } from './reconnect.ts';
import type { LogLimits, RunEventLog } from './run-event-log.ts';
import { createRunEventLog } from './run-event-log.ts';
import { StreamGivenBack, type StreamSlots } from './stream-slots.ts';

/** Which part of a run's stream is requested. */
export interface RunStreamOptions {
  readonly path: `/${string}`;
  /** Events of sub-graphs too. */
  readonly subgraphs: boolean;
  readonly lastEventId?: number | undefined;
}

/** Dependencies of the stream; tests pass their own. */
export interface RunStreamPorts {
  connect(path: `/${string}`, init: RequestInit): Promise<Response>;
  /** Calls back soon, once: at the next frame. */
  schedule(deliver: () => void): void;
  readonly slots?: StreamSlots | undefined;
  readonly limits?: LogLimits;
  /** Longer than three heartbeats (10 s each) of silence means a dead connection. */
  readonly silenceMs?: number;
  readonly firstDelayMs?: number;
}

export type Connection = 'connecting' | 'open' | 'reconnecting' | 'ended' | 'failed' | 'closed';

/** The stream as it is shown now. A new object whenever something changed; the log itself grows in place. */
export interface RunStreamSnapshot {
  readonly connection: Connection;
  readonly log: RunEventLog;
  /** Rows before it are shown; after it are those that arrived during a pause. */
  readonly shown: number;
  readonly received: number;
  readonly isPaused: boolean;
  readonly ratePerSecond: number;
  readonly reconnects: number;
  /** Why the connection is `failed` or `reconnecting`. */
  readonly error: ApiError | undefined;
  /** The service's clock minus ours, from the times of events. */
  readonly clockOffset: number;
}

export interface RunStream {
  subscribe(listener: () => void): () => void;
  getSnapshot(): RunStreamSnapshot;
  pause(): void;
  resume(): void;
  /** Replaces a connection without recent data, when the caller expects some. */
  check(): void;
  close(): void;
}

/** Ids of an attempt's events begin at a multiple of it (decisions: Streams, ids). */
const idsPerAttempt = 1_000_000_000;
/** After this much silence the next event is a new one, no longer one of the log. */
const catchUpMs = 40;
/** How long events are processed before yielding to the page. */
const sliceMs = 8;
const maxFailuresInStream = 5;
/** For `check`. */
const shortSilenceMs = 2_000;

const attemptOf = (id: number): number => Math.floor(id / idsPerAttempt) + 1;

/** Follows a run: reconnects by itself with the last id, without loss and without duplicates, until its end. */
export function createRunStream(options: RunStreamOptions, ports: RunStreamPorts): RunStream {
  const log = createRunEventLog(ports.limits);
  const rate = createRateMeter();
  const listeners = new Set<() => void>();
  const closing = new AbortController();
  let lastId = options.lastEventId;
  let connection: Connection = 'connecting';
  let error: ApiError | undefined;
  let reconnects = 0;
  let clockOffset = 0;
  let pausedAt: number | undefined;
  let isLive = false;
  let isAfterGap = false;
  let isReconnected = false;
  /** From the comment before the next event. */
  let publishedAt: number | undefined;
  let isScheduled = false;
  let fadeTimer: ReturnType<typeof setTimeout> | undefined;
  let cut: (() => void) | undefined;
  let receivedDataAt = 0;
  let snapshot = makeSnapshot();

  function makeSnapshot(): RunStreamSnapshot {
    return {
      connection,
      log,
      shown: Math.max(pausedAt ?? log.end, log.first),
      received: log.end,
      isPaused: pausedAt !== undefined,
      ratePerSecond: rate.perSecond(),
      reconnects,
      error,
      clockOffset,
    };
  }

  function changed(): void {
    if (isScheduled) return;
    isScheduled = true;
    ports.schedule(() => {
      isScheduled = false;
      snapshot = makeSnapshot();
      for (const listener of listeners) listener();
      if (snapshot.ratePerSecond > 0) fadeTimer ??= setTimeout(fade, 1_000);
    });
  }

  /** The rate falls also without new events. */
  function fade(): void {
    fadeTimer = undefined;
    changed();
  }

  function take(id: number | null, name: string, data: string): void {
    const bar = name.indexOf('|');
    const type = bar === -1 ? name : name.slice(0, bar);
    const ns = bar === -1 ? '' : name.slice(bar + 1);
    // The values that replace a gap have the id of what they replace, maybe a known one.
    const standsForGap = isAfterGap && type === 'values';
    isAfterGap = false;
    if (id !== null && lastId !== undefined && id <= lastId && !standsForGap) return;
    if (ns !== '' && !options.subgraphs) {
      lastId = id ?? lastId;
      return;
    }
    const receivedAt = Date.now();
    const publishedTime = publishedAt ?? timeInPayload(type, data);
    if (publishedTime !== undefined && isLive) clockOffset = publishedTime - receivedAt;
    const isNext = id !== null && lastId !== undefined && attemptOf(id) > attemptOf(lastId);
    if (isNext && type !== 'lifecycle') mark('restart', { attempt: attemptOf(id) }, publishedTime);
    if (id !== null) lastId = Math.max(id, lastId ?? 0);
    rate.count(receivedAt);
    const at = publishedTime ?? (isLive ? receivedAt + clockOffset : undefined);
    log.append({ id, type, ns, data, receivedAt, at });
  }

  function mark(
    type: 'restart' | 'gap' | 'reconnected',
    data: Record<string, unknown>,
    publishedTime?: number,
  ): void {
    const receivedAt = Date.now();
    const at = publishedTime ?? (isLive ? receivedAt + clockOffset : undefined);
    log.append({ id: null, type, ns: '', data: JSON.stringify(data), receivedAt, at });
  }

  /** Reads one connection. Resolves with whether the run's stream is over. */
  async function readOnce(delay: ReturnType<typeof createReconnectDelay>): Promise<boolean> {
    const cutting = new AbortController();
    let failure: ApiError | undefined;
    let isOver = false;
    cut = () => cutting.abort();
    receivedDataAt = performance.now();
    let startedAt = receivedDataAt;
    let lastPiece = receivedDataAt;
    await readEvents({
      path: options.path,
      ...(lastId !== undefined && { headers: { 'Last-Event-ID': String(lastId) } }),
      connect: ports.connect,
      signal: AbortSignal.any([closing.signal, cutting.signal]),
      silenceMs: ports.silenceMs,
      slots: ports.slots,
      onOpen() {
        if (connection === 'reconnecting') {
          reconnects += 1;
          isReconnected = true;
        }
        connection = 'open';
        error = undefined;
        isLive = false;
        startedAt = performance.now();
        lastPiece = startedAt;
        changed();
      },
      onComment(text) {
        publishedAt = publishedIn(text);
        if (publishedAt !== undefined) return;
        const isGap = text.trim() === 'gap';
        if (isGap) mark('gap', { reconnected: isReconnected });
        else if (isReconnected) mark('reconnected', { lost: 0 });
        isAfterGap = isGap;
        isReconnected = false;
      },
      onEvent({ id, event = 'message', data }) {
        if (isOver) return;
        if (isReconnected) mark('reconnected', { lost: 0 });
        isReconnected = false;
        const hasId = id !== undefined && id !== '';
        // Without an id it is the streaming that failed, not the run (decisions: Streams, failure).
        if (event === 'error' && !hasId) failure = toApiError(streamFailure(data));
        else take(hasId ? Number(id) : null, event, data);
        publishedAt = undefined;
        isOver = event === 'done' || (event === 'error' && hasId);
        if (!isOver && hasId) delay.reset();
      },
      beforePiece() {
        const now = performance.now();
        if (now - lastPiece > catchUpMs) isLive = true;
        lastPiece = now;
        receivedDataAt = now;
      },
      async onPiece() {
        changed();
        if (performance.now() - startedAt <= sliceMs) return;
        await nextTask();
        startedAt = performance.now();
        lastPiece = startedAt;
      },
    });
    if (failure !== undefined) throw failure;
    return isOver;
  }

  async function follow(): Promise<void> {
    const delay = createReconnectDelay(ports.firstDelayMs);
    while (!closing.signal.aborted) {
      try {
        if (await readOnce(delay)) {
          connection = 'ended';
          return;
        }
      } catch (cause) {
        if (closing.signal.aborted) break;
        if (cause instanceof StreamGivenBack) {
          connection = 'connecting';
          changed();
          continue;
        }
        error = toApiError(cause);
        const isHopeless = error.status === 200 && delay.failures >= maxFailuresInStream;
        if (isHopeless || !isWorthRepeating(error)) {
          connection = 'failed';
          return;
        }
      }
      connection = 'reconnecting';
      changed();
      await delay.wait(closing.signal);
    }
    connection = 'closed';
  }

  void follow().finally(() => {
    clearTimeout(fadeTimer);
    rate.stop();
    changed();
  });

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot: () => snapshot,
    pause() {
      pausedAt ??= snapshot.shown;
      changed();
    },
    resume() {
      pausedAt = undefined;
      changed();
    },
    check() {
      if (connection === 'open' && performance.now() - receivedDataAt > shortSilenceMs) cut?.();
    },
    close: () => closing.abort(),
  };
}

/** `at 2026-11-21T12:00:00.000Z`: when the event that follows was published (`event_times`). */
function publishedIn(comment: string): number | undefined {
  const [, time] = /^\s*at (\S+)$/.exec(comment) ?? [];
  const at = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(at) ? undefined : at;
}

/** The body of an `error` event, as an error response of the service with status 200. */
function streamFailure(data: string): ApiError {
  const body = { code: 'stream_failed', message: 'The service ended the stream.', metadata: {} };
  try {
    const { error, code }: { error?: unknown; code?: unknown } = JSON.parse(data);
    if (typeof error === 'string') body.message = error;
    if (typeof code === 'string') body.code = code;
  } catch {
    // The message above is enough.
  }
  return new ApiError(200, body);
}

/** Yields to drawing and input: with a message, because timers are clamped to 4 ms. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });
}
