import { isObject } from '../../model/json.ts';
import { costOf, type Price } from '../prices.ts';
import type { SpanKind, SpanStatus, TraceSpan } from '../port.ts';
import { usageOf } from './usage.ts';

/** Of ids, names and the like; of namespaces, which name every level; of the text of an error. */
const NAME_CHARS = 300;
const NAMESPACE_CHARS = 4_000;
const ERROR_CHARS = 16 * 1024;
/** A guest's clock that is further behind is wrong. */
const LONGEST_RUN_MS = 30 * 24 * 3_600_000;

/** A trace chunk of a guest: `guest.proto`, Chunk. */
interface TraceChunk {
  event: 'start' | 'token' | 'end';
  kind: 'node' | 'model' | 'tool';
  id: string;
  parent_id?: string | null;
  name?: string;
  node?: string | null;
  step?: number | null;
  ns?: string;
  model?: string | null;
  ts: string;
  latency_ms?: number;
  status?: 'completed' | 'error' | 'interrupted';
  input?: unknown;
  params?: unknown;
  output?: unknown;
  usage?: unknown;
  error?: { type?: string; message?: string } | null;
}

/** A model call that has ended. */
export interface EndedCall {
  input: number;
  output: number;
  total: number;
  cost: number | undefined;
}

/** The chunk, if it is one: guests are not trusted. */
export function parseChunk(json: string): TraceChunk | undefined {
  try {
    const chunk: unknown = JSON.parse(json);
    const isChunk = isObject(chunk) && typeof chunk['id'] === 'string' && chunk['id'] !== '';
    return isChunk ? (chunk as unknown as TraceChunk) : undefined; // each member is checked where it is used
  } catch {
    return undefined;
  }
}

/** The span that a chunk begins. */
export function beginSpan(chunk: TraceChunk, attempt: number): TraceSpan {
  const { parent_id: parentId, name, node, step, ns, model, input, params } = chunk;
  return {
    id: shortened(chunk.id),
    kind: kindOf(chunk.kind),
    name: typeof name === 'string' ? shortened(name) : '',
    status: 'running',
    attempt,
    startedAt: timeOf(chunk.ts),
    ...(typeof parentId === 'string' && parentId !== chunk.id && { parentId: shortened(parentId) }),
    ...(typeof node === 'string' && { node: shortened(node) }),
    ...(typeof step === 'number' && { step }),
    ...(typeof ns === 'string' && ns !== '' && { ns: ns.slice(0, NAMESPACE_CHARS) }),
    ...(typeof model === 'string' && { model: shortened(model) }),
    ...(input !== undefined && { input }),
    ...(params !== undefined && { params }),
  };
}

/** Ends a span as its chunk says; returns the tokens of a model call. */
export function endSpan(
  span: TraceSpan,
  chunk: TraceChunk,
  prices: readonly Price[],
): EndedCall | undefined {
  const { output, usage, error } = chunk;
  const endedAt = Math.max(timeOf(chunk.ts), span.startedAt);
  const latency = chunk.latency_ms;
  span.status = statusOf(chunk.status);
  span.endedAt = endedAt;
  span.durationMs =
    typeof latency === 'number' && latency >= 0 ? latency : endedAt - span.startedAt;
  if (output !== undefined && output !== null) span.output = output;
  if (isObject(error)) {
    const { type, message = '' } = error;
    span.error = {
      message: typeof message === 'string' ? message.slice(0, ERROR_CHARS) : '',
      ...(typeof type === 'string' && { type: shortened(type) }),
    };
  }
  const tokens = span.kind === 'model' ? usageOf(usage) : undefined;
  if (!tokens) return undefined;
  if (isObject(usage)) span.usage = countsOf(usage);
  const cost = costOf(prices, span.model, tokens);
  if (cost !== undefined) span.cost = cost;
  return { ...tokens, cost };
}

/** Ends what was still running when its attempt ended. */
export function closeSpan(span: TraceSpan, status: SpanStatus, endedAt: number): void {
  span.status = status;
  span.endedAt = Math.max(endedAt, span.startedAt);
  span.durationMs = span.endedAt - span.startedAt;
}

/** The time of a chunk: now, when it has none, or one that cannot be. */
export function timeOf(ts: unknown): number {
  const now = Date.now();
  const time = typeof ts === 'string' ? Date.parse(ts) : Number.NaN;
  return time <= now && time > now - LONGEST_RUN_MS ? time : now;
}

function shortened(text: string): string {
  return text.slice(0, NAME_CHARS);
}

/** The figures of a usage, and of its details. */
function countsOf(usage: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(usage).flatMap(([name, value]): [string, unknown][] => {
    if (typeof value === 'number') return [[name, value]];
    if (!isObject(value)) return [];
    return [
      [name, Object.fromEntries(Object.entries(value).filter(([, n]) => typeof n === 'number'))],
    ];
  });
  return Object.fromEntries(kept.slice(0, 20));
}

function kindOf(kind: unknown): SpanKind {
  return kind === 'model' || kind === 'tool' ? kind : 'node';
}

function statusOf(status: unknown): SpanStatus {
  return status === 'error' || status === 'interrupted' ? status : 'completed';
}
