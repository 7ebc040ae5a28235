// Loaded only when tracing is configured: its imports take memory.
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  diag,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { Logger } from './logger.ts';
import { noTracing, type SpanOptions, type TraceSpan, type Tracing } from './tracing.ts';

export interface OtlpTracingOptions {
  /** The URL to which spans are posted, OTLP as JSON. */
  tracesUrl: string;
  /** Absent: from OTEL_RESOURCE_ATTRIBUTES, otherwise `agent-runtime`. */
  serviceName?: string;
  version: string;
  instanceId: string;
  logger: Pick<Logger, 'warn'>;
  /** How long spans are buffered; default: from OTEL_BSP_SCHEDULE_DELAY, otherwise 5 s. */
  lingerMs?: number;
}

const CLOSE_LIMIT_MS = 2_000;
/** Minimum interval between warnings about an unavailable collector. */
const WARNING_PAUSE_MS = 60_000;

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

/**
 * Traces by OpenTelemetry, sent to a collector. Nothing is registered globally: a process that embeds the service may
 * use its own OpenTelemetry. Sampler, headers and batches follow the OTEL_* variables.
 */
export function openOtlpTracing(options: OtlpTracingOptions): Tracing {
  const { tracesUrl, logger, lingerMs } = options;
  warnThrough(logger);
  const exporter = new OTLPTraceExporter({ url: tracesUrl });
  const batches = new BatchSpanProcessor(
    exporter,
    lingerMs === undefined ? {} : { scheduledDelayMillis: lingerMs },
  );
  const provider = new BasicTracerProvider({
    resource: resourceOf(options),
    spanProcessors: [batches],
  });
  const tracer = provider.getTracer('agent-runtime', options.version);
  const current = new AsyncLocalStorage<Context>();

  function start(name: string, span: SpanOptions = {}): TraceSpan {
    const { kind = 'internal', attributes = {}, startedAt, isEntry } = span;
    const above = contextOf(span.parent) ?? current.getStore();
    if (above === undefined && isEntry !== true) return noTracing.start(name);
    const made = tracer.startSpan(
      name,
      { kind: kinds[kind], attributes, ...(startedAt !== undefined && { startTime: startedAt }) },
      above ?? ROOT_CONTEXT,
    );
    const context = trace.setSpan(above ?? ROOT_CONTEXT, made);
    return spanOf(made, (act) => current.run(context, act));
  }

  return {
    start,
    async close() {
      let limit: NodeJS.Timeout | undefined;
      const elapsed = new Promise<void>((resolve) => {
        limit = setTimeout(resolve, CLOSE_LIMIT_MS);
      });
      // Spans that the collector has not accepted by then are lost, which must not delay the stop.
      await Promise.race([provider.shutdown().catch(() => undefined), elapsed]);
      clearTimeout(limit);
    },
  };
}

function spanOf(span: Span, run: TraceSpan['run']): TraceSpan {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    isRecorded: span.isRecording(),
    set(attributes) {
      for (const [key, value] of Object.entries(attributes)) {
        if (value !== undefined) span.setAttribute(key, value);
      }
    },
    fail(code) {
      span.setAttribute('error.type', code);
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
    run,
    end: (at) => span.end(at),
  };
}

/** W3C Trace Context, 3.2: versions above 00 have the same prefix. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

function contextOf(traceparent: string | undefined): Context | undefined {
  const [, traceId = '', spanId = '', flags = '0'] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const remote = { traceId, spanId, traceFlags, isRemote: true };
  return isSpanContextValid(remote) ? trace.setSpanContext(ROOT_CONTEXT, remote) : undefined;
}

function resourceOf({ serviceName, version, instanceId }: OtlpTracingOptions) {
  const own = {
    'service.name': 'agent-runtime',
    'service.version': version,
    'service.instance.id': instanceId,
  };
  return defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(
      resourceFromAttributes(serviceName === undefined ? {} : { 'service.name': serviceName }),
    );
}

/** The library reports failures to one logger of the process. */
function warnThrough(logger: Pick<Logger, 'warn'>): void {
  let warnedAt = Number.NEGATIVE_INFINITY;
  const warn = (message: string): void => {
    if (performance.now() - warnedAt < WARNING_PAUSE_MS) return;
    warnedAt = performance.now();
    logger.warn({ reason: message.slice(0, 500) }, 'traces are not delivered');
  };
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { suppressOverrideMessage: true },
  );
}
