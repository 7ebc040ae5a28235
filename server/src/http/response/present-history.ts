import type {
  ModelCallResultWire,
  NodeStatsWire,
  RecordedInputWire,
  RecordedRunWire,
  RunStatsWire,
  RunTraceWire,
  TraceSpanWire,
} from '../../contract/history.ts';
import type {
  NodeStats,
  RecordedInput,
  RecordedRun,
  RecordedTrace,
  RunFigures,
  RunStats,
  TraceSpan,
} from '../../history/port.ts';
import type { MadeCall } from '../../threads/model-call-service.ts';
import { isoTime } from './iso-time.ts';
import { spliced } from './json-writer.ts';
import { presentRunError } from './present.ts';

/** A run of the history on the wire. */
export function presentRecordedRun(run: RecordedRun): RecordedRunWire {
  const { agentVersion, sub, begunAt, firstTokenAt, endedAt, durationMs, error, cost } = run;
  const { inputPreview, outputPreview } = run;
  return {
    run_id: run.runId,
    thread_id: run.threadId,
    agent_id: run.agentId,
    ...(agentVersion !== undefined && { agent_version: agentVersion }),
    status: run.status,
    ...(sub !== undefined && { sub }),
    created_at: isoTime(run.createdAt),
    ...(begunAt !== undefined && { started_at: isoTime(begunAt) }),
    ...(firstTokenAt !== undefined && { first_token_at: isoTime(firstTokenAt) }),
    ...(endedAt !== undefined && { ended_at: isoTime(endedAt) }),
    last_activity_at: isoTime(run.activityAt),
    ...(durationMs !== undefined && { duration_ms: durationMs }),
    attempts: run.attempts,
    ...(error && { error: presentRunError(error) }),
    ...(inputPreview !== undefined && { input_preview: inputPreview }),
    ...(outputPreview !== undefined && { output_preview: outputPreview }),
    tokens: run.tokens,
    ...(cost !== undefined && { cost }),
    metadata: run.metadata,
    is_incomplete: run.isIncomplete,
  };
}

/** A trace, or what is new of it, on the wire. */
export function presentTrace({ run, spans }: RecordedTrace): RunTraceWire {
  return { run: presentRecordedRun(run), spans: spans.map(presentSpan) };
}

/** A span of a trace on the wire. */
function presentSpan(span: TraceSpan): TraceSpanWire {
  const { parentId, ns, startedAt, firstTokenAt, endedAt, durationMs, ...rest } = span;
  return {
    ...rest,
    ...(parentId !== undefined && { parent_id: parentId }),
    ...(ns !== undefined && { checkpoint_ns: ns }),
    started_at: isoTime(startedAt),
    ...(firstTokenAt !== undefined && { first_token_at: isoTime(firstTokenAt) }),
    ...(endedAt !== undefined && { ended_at: isoTime(endedAt) }),
    ...(durationMs !== undefined && { duration_ms: durationMs }),
  };
}

/** The input of a run on the wire. */
export function presentRecordedInput({ kind, value }: RecordedInput): RecordedInputWire {
  if (kind === 'proceed' || !value) return { kind };
  return { kind, [kind]: spliced(value.json) };
}

/** What a model returned on the wire. */
export function presentModelCall(made: MadeCall): ModelCallResultWire {
  const { output, usage, latencyMs, model, cost } = made;
  return {
    output: spliced(output),
    ...(usage !== undefined && { usage: spliced(usage) }),
    latency_ms: latencyMs,
    ...(model !== undefined && { model }),
    ...(cost !== undefined && { cost }),
  };
}

/** Figures of runs on the wire. */
export function presentStats({ total, overTime, byAgent }: RunStats): RunStatsWire {
  return {
    total: figures(total),
    over_time: overTime.map((part) => ({
      from: isoTime(part.from),
      to: isoTime(part.to),
      ...figures(part),
    })),
    by_agent: byAgent.map((part) => ({ agent_id: part.agentId, ...figures(part) })),
  };
}

/** Figures of nodes on the wire. */
export function presentNodeStats({ runs, isCapped, nodes }: NodeStats): NodeStatsWire {
  return {
    runs,
    is_capped: isCapped,
    nodes: nodes.map(({ p50Ms, p95Ms, ...counts }) => ({
      ...counts,
      ...(p50Ms !== undefined && { p50_ms: p50Ms }),
      ...(p95Ms !== undefined && { p95_ms: p95Ms }),
    })),
  };
}

function figures({ runs, errors, p50Ms, p95Ms, tokens, cost }: RunFigures) {
  return {
    runs,
    errors,
    ...(p50Ms !== undefined && { p50_ms: p50Ms }),
    ...(p95Ms !== undefined && { p95_ms: p95Ms }),
    tokens,
    ...(cost !== undefined && { cost }),
  };
}
