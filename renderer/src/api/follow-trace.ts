import { toApiError } from './errors.ts';
import type { RecordedRun, RunTrace, TraceSpan } from './generated/types.gen.ts';
import { type EventConnection, readEvents } from './read-events.ts';
import { createReconnectDelay, isWorthRepeating } from './reconnect.ts';
import { StreamGivenBack } from './stream-slots.ts';

export interface FollowTraceOptions {
  readonly signal: AbortSignal;
  readonly connect: EventConnection['connect'];
  readonly slots?: EventConnection['slots'];
  /** Called with the whole trace whenever something of it is new. */
  onTrace(trace: RunTrace): void;
  readonly firstDelayMs?: number;
}

/** Whether nothing more of the trace is expected. */
export function isTraceOver({
  ended_at: endedAt,
  is_incomplete: isIncomplete,
}: RecordedRun): boolean {
  return endedAt !== undefined || isIncomplete;
}

/** Follows the trace of a run until its record has ended; connects again by itself. Rejects when it is not found, or on abort. */
export async function followTrace(
  runId: string,
  { signal, connect, slots, onTrace, firstDelayMs }: FollowTraceOptions,
): Promise<RunTrace> {
  const delay = createReconnectDelay(firstDelayMs);
  let trace: RunTrace | undefined;
  for (;;) {
    /** A connection begins with all of it. */
    let known: RunTrace | undefined;
    try {
      await readEvents({
        path: `/runs/${encodeURIComponent(runId)}/trace/stream`,
        connect,
        slots,
        signal,
        onEvent({ event, data }) {
          if (event !== 'trace') return;
          const part = JSON.parse(data) as RunTrace; // in the form of the OpenAPI document
          known = known === undefined ? part : mergeTrace(known, part);
          trace = known;
          delay.reset();
        },
        onPiece() {
          if (known !== undefined) onTrace(known);
        },
      });
      if (trace !== undefined && isTraceOver(trace.run)) return trace;
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof StreamGivenBack) continue;
      const error = toApiError(cause);
      if (!isWorthRepeating(error)) throw error;
    }
    await delay.wait(signal);
    signal.throwIfAborted();
  }
}

/** Later spans replace those with their id. */
function mergeTrace({ spans }: RunTrace, part: RunTrace): RunTrace {
  const merged = new Map<string, TraceSpan>(spans.map((span) => [span.id, span]));
  for (const span of part.spans) merged.set(span.id, span);
  const inOrder = [...merged.values()].toSorted((one, other) =>
    one.started_at < other.started_at ? -1 : one.started_at > other.started_at ? 1 : 0,
  );
  return { run: part.run, spans: inOrder };
}
