/*
 * Tracing is off, and its code is not loaded, unless `telemetry` names a collector (`observability/otlp-tracing.ts`);
 * rooms use only `observability/tracing.ts`, which provides spans without effect when tracing is off. Nothing is
 * registered globally.
 *
 * A run's request (`NewRun.traceparent`, which only the activity reads) names the parent of its attempts, so workflow
 * code and histories contain no tracing. Spans without a parent are not created, except for requests and attempts.
 *
 * Spans of nodes, model calls and tool calls are created from what the guest reports for the run history (its mode
 * `trace`), with the names and attributes of OpenTelemetry's conventions for generative AI. Spans contain names, ids and figures, and of errors the code or the class: never text
 * of a client or an agent.
 */
import { isServiceError } from '../errors/service-error.ts';

/** Names, ids and figures; never text of a client or an agent, and no credentials. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  /** Default: internal. */
  kind?: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  attributes?: SpanAttributes;
  /** Its parent, as a W3C `traceparent`; default: the current span. */
  parent?: string | undefined;
  /** It begins a trace when it has no parent. Other spans are then omitted. */
  isEntry?: boolean;
  /** Milliseconds since the epoch; default: now. */
  startedAt?: number;
}

/** A span: one piece of work in a trace. */
export interface TraceSpan {
  /** For child spans in other processes; undefined when nothing is traced. */
  readonly traceparent: string | undefined;
  /** False when the span's data is discarded. */
  readonly isRecorded: boolean;
  set(attributes: SpanAttributes): void;
  /** Marks it as failed with this code. */
  fail(code: string): void;
  /** Makes it the current span of everything that `act` calls and awaits. */
  run<T>(act: () => T): T;
  end(at?: number): void;
}

/** Creates the service's traces, or none. Rooms use only this interface. */
export interface Tracing {
  start(name: string, options?: SpanOptions): TraceSpan;
  /** Sends the remaining spans, for two seconds at most. */
  close(): Promise<void>;
}

const noSpan: TraceSpan = {
  traceparent: undefined,
  isRecorded: false,
  set: () => undefined,
  fail: () => undefined,
  run: (act) => act(),
  end: () => undefined,
};

/** For a service without tracing. */
export const noTracing: Tracing = { start: () => noSpan, close: () => Promise.resolve() };

/** Runs `act` within a span and marks the span as failed, by the error's code alone. */
export async function traced<T>(
  tracing: Tracing,
  name: string,
  options: SpanOptions,
  act: (span: TraceSpan) => Promise<T>,
): Promise<T> {
  const span = tracing.start(name, options);
  try {
    return await span.run(() => act(span));
  } catch (error) {
    span.fail(isServiceError(error) ? error.code : className(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Only the class of other errors: their message may contain any data. */
function className(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
