/*
 * `streams/port.ts`, in memory: bounded per run and in total, kept for 10 minutes after the end.
 * `activities/run-events.ts` numbers the guest's events and adds those that only the host knows: the beginning of each
 * attempt. `http/response/sse.ts` is the only writer. A reader that is too late for some events gets a comment (`:
 * gap`) and the last checkpoint's values, and continues from there. `http/compat/` is the API of LangGraph Server
 * (docs/compatibility.md): a translation of requests, responses and events over the same services and the same follower
 * of runs.
 */
import type { RunId } from '../model/ids.ts';
import type { JsonText } from '../model/json.ts';

/** How much the in-memory log keeps for a run and in all. Sizes are characters of JSON. */
export interface StreamLimits {
  maxEventsPerRun: number;
  maxSizePerRun: number;
  maxSizeTotal: number;
  /** How long an ended run's events stay readable. */
  keepEndedMs: number;
}

export const defaultStreamLimits: StreamLimits = {
  maxEventsPerRun: 10_000,
  maxSizePerRun: 16 * 1024 * 1024,
  maxSizeTotal: 64 * 1024 * 1024,
  keepEndedMs: 10 * 60 * 1000,
};

/** One event of a run's stream. `id` only grows within a run, also over restarts. */
export interface RunEvent {
  id: number;
  /** The stream mode of the chunk (`StreamMode` in model/run/run.ts). */
  mode: string;
  /** "" for the root graph. Events of sub-graphs are named `mode|ns`. */
  ns: string;
  data: JsonText;
  /** The time of publication, in milliseconds since 1970. */
  at?: number;
}

/**
 * What a reader receives: events, and a `gap` where earlier events no longer exist; `lostThrough` is the id of the last
 * of them, as far as known.
 */
export type StreamItem = { kind: 'event'; event: RunEvent } | { kind: 'gap'; lostThrough: number };

/** The log of the running and recently ended runs of this service. */
export interface StreamPort {
  /** Opens the log of a run, or keeps an open one. Later events need it open. */
  open(runId: RunId): void;
  /** No effect on a log that is not open. */
  append(runId: RunId, event: RunEvent): void;
  /** No more events follow: the run has ended for good. Idempotent. */
  close(runId: RunId): void;
  /** Removes the log; readers end. */
  remove(runId: RunId): void;
  /** The id of the newest event ever appended; 0 when there is no log or no event. */
  lastId(runId: RunId): number;
  /**
   * Everything after `after` (0: from the start, 'now': only new events), until the run's log is closed. A run without
   * a log here yields one `gap` and ends. Ends with the signal, without an error.
   */
  read(runId: RunId, after: number | 'now', signal: AbortSignal): AsyncIterable<StreamItem>;
}
