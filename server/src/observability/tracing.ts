/*
 * Off, and nothing of it is loaded, unless `telemetry` names a collector (`observability/otlp-tracing.ts`); rooms know
 * `observability/tracing.ts` alone, where the absence of traces is a span that does nothing. Nothing is registered
 * globally.
 *
 * A run's request (`NewRun.traceparent`, which only the activity opens) says what its attempts belong to, so workflow
 * code and histories know nothing of it. Spans without something above them are not made, but for requests and
 * attempts.
 *
 * Nodes are made of the guest's `tasks` events: a traced run streams them, and those that its client did not ask for
 * go no further. Spans carry names, ids and figures, of errors the code or the class: never what a client or an agent
 * wrote.
 */
import { isServiceError } from '../errors/service-error.ts';

/** Names, ids and figures; never what a client or an agent wrote, and no credentials. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  /** Default: internal. */
  kind?: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  attributes?: SpanAttributes;
  /** What it belongs to, as a W3C `traceparent`; default: the current span. */
  parent?: string | undefined;
  /** It begins a trace where there is nothing that it belongs to. Others are then left out. */
  isEntry?: boolean;
  /** Milliseconds since the epoch; default: now. */
  startedAt?: number;
}

/** A piece of work in a trace. */
export interface TraceSpan {
  /** For what belongs to it elsewhere; undefined when nothing is traced. */
  readonly traceparent: string | undefined;
  /** False when nobody will see what is told to it. */
  readonly isRecorded: boolean;
  set(attributes: SpanAttributes): void;
  /** It failed, with this code. */
  fail(code: string): void;
  /** Makes it the current span of everything that `act` calls and awaits. */
  run<T>(act: () => T): T;
  end(at?: number): void;
}

/** Makes traces of what the service does, or nothing at all. Rooms know no more of it. */
export interface Tracing {
  start(name: string, options?: SpanOptions): TraceSpan;
  /** Sends what is left, for two seconds at most. */
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

/** For a service that nobody traces. */
export const noTracing: Tracing = { start: () => noSpan, close: () => Promise.resolve() };

/** Does something within a span; its failure is the span's, by its code alone. */
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

/** Of other errors the class alone: their text may quote anything. */
function className(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
