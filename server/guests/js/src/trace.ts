import { callCallbacks, type CallEnd } from './call-callbacks.ts';
import { usageOf } from './call-usage.ts';
import { bounded, boundedJson } from './event-value.ts';
import { isRecord } from './run-config.ts';
import { outcomeOf } from './trace-outcome.ts';
import type { Chunk } from './wire.ts';

/** A node, a model call or a tool call that is under way. */
interface Span {
  kind: 'node' | 'model' | 'tool';
  id: string;
  ns: unknown;
  /** LangChain.js wraps what a function of LangGraph's functional API returns. */
  isFunction: boolean;
  hasToken: boolean;
  began: number;
}

type Metadata = Record<string, unknown>;
/** What LangChain's callback hands over, by position. */
type ChainStart = [
  chain: unknown,
  inputs: unknown,
  runId: string,
  parentId?: string,
  tags?: string[],
  metadata?: Metadata,
  runType?: string,
  name?: string,
];

/**
 * Callbacks for LangChain that make the chunks of the mode `trace`, what happens in a run for its history: one at the
 * start and the end of every node, model call and tool call, and one at the first token of a model that streams.
 * `signal` is that of the run's cancellation.
 */
export function traceHandler(emit: (chunk: Chunk) => void, signal: AbortSignal): object {
  /** By run of LangChain: the span that it is, or else the one that it runs in. */
  const spans = new Map<string, Span>();
  let graphName: string | undefined;
  const send = (json: string): void => emit({ mode: 'trace', ns: '', json });

  const start = (
    kind: Span['kind'],
    about: { id: string; parent: Span | undefined; name: string; metadata: Metadata },
    more?: object,
  ): void => {
    const { id, parent, name, metadata } = about;
    const { langgraph_checkpoint_ns: ns, langgraph_node: node, langgraph_step: step } = metadata;
    const isFunction = isCalled(metadata) || (parent === undefined && name === graphName);
    spans.set(id, { kind, id, ns, isFunction, hasToken: false, began: performance.now() });
    send(
      JSON.stringify({
        event: 'start',
        kind,
        id,
        parent_id: parent?.id ?? null,
        name,
        node: typeof node === 'string' ? node : null,
        step: typeof step === 'number' ? step : null,
        ns: typeof ns === 'string' ? ns : '',
        ts: new Date().toISOString(),
        ...more,
      }),
    );
  };

  const ended = (id: string, { output, usage, error }: CallEnd): void => {
    const span = spans.get(id);
    if (span === undefined) return;
    spans.delete(id);
    if (span.id !== id) return;
    const outcome =
      error === undefined
        ? ({ status: 'completed', output, error: null } as const)
        : outcomeOf(error, signal.aborted);
    const event = JSON.stringify({
      event: 'end',
      kind: span.kind,
      id,
      ts: new Date().toISOString(),
      latency_ms: Math.round((performance.now() - span.began) * 1_000) / 1_000,
      status: outcome.status,
      usage: usage === undefined ? null : usageOf(usage),
      error: outcome.error,
    });
    // As text, because it may be large: made once.
    send(`${event.slice(0, -1)},"output":${boundedJson(outcome.output)}}`);
  };

  const chainStarted = (...[, , id, parentId, tags, metadata, , name]: ChainStart): void => {
    if (parentId === undefined) graphName = name;
    if (parentId === undefined || metadata === undefined) return;
    const above = spans.get(parentId);
    // A node runs under the name of its task, and is the first to have the task's namespace.
    if (
      name !== undefined &&
      name === metadata['langgraph_node'] &&
      above?.ns !== metadata['langgraph_checkpoint_ns'] &&
      tags?.includes('langsmith:hidden') !== true
    ) {
      start('node', { id, parent: above ?? callerOf(metadata, spans), name, metadata });
    } else if (above !== undefined) spans.set(id, above);
  };

  const token = (id: string): void => {
    const span = spans.get(id);
    if (span === undefined || span.hasToken) return;
    span.hasToken = true;
    send(JSON.stringify({ event: 'token', id, ts: new Date().toISOString() }));
  };

  return {
    name: 'trace',
    ...callCallbacks({
      started({ kind, id, parentId, name, input, params, metadata }) {
        const parent = parentId === undefined ? undefined : spans.get(parentId);
        const { ls_model_name: model } = metadata;
        start(
          kind,
          { id, parent, name, metadata },
          {
            input: bounded(input),
            ...(kind === 'model' && {
              params: bounded(params),
              model: typeof model === 'string' ? model : null,
            }),
          },
        );
      },
      ended,
    }),
    handleChainStart: chainStarted,
    handleChainEnd: (output: unknown, id: string) => {
      const span = spans.get(id);
      if (span !== undefined) ended(id, { output: returnedBy(span, output) });
    },
    handleChainError: (error: unknown, id: string) => ended(id, { error: error ?? null }),
    // A retriever may ask a model itself.
    handleRetrieverStart: (_retriever: unknown, _query: string, id: string, parentId?: string) => {
      const above = parentId === undefined ? undefined : spans.get(parentId);
      if (above !== undefined) spans.set(id, above);
    },
    handleRetrieverEnd: (_documents: unknown, id: string) => void spans.delete(id),
    handleRetrieverError: (_error: unknown, id: string) => void spans.delete(id),
    handleLLMNewToken: (_token: string, _index: unknown, id: string) => token(id),
    handleChatModelStreamEvent: (event: unknown, id: string) => {
      if (isRecord(event) && event['event'] === 'content-block-delta') token(id);
    },
  };
}

/** Whether it is a task that a function of LangGraph's functional API has called. */
function isCalled({ langgraph_path: path }: Metadata): boolean {
  return Array.isArray(path) && path[3] === true;
}

/** LangGraph.js runs such a task beside the node that has called it: the namespace tells them. */
function callerOf(metadata: Metadata, spans: Map<string, Span>): Span | undefined {
  const { langgraph_checkpoint_ns: ns } = metadata;
  if (typeof ns !== 'string' || !isCalled(metadata)) return undefined;
  const above = ns.slice(0, ns.lastIndexOf('|'));
  return [...spans.values()].find((span) => span.kind === 'node' && span.ns === above);
}

/** What a node returned: LangChain.js reports what is no object as the member `output` of one. */
function returnedBy(span: Span, reported: unknown): unknown {
  if (!isRecord(reported) || !('output' in reported) || isRecord(reported['output']))
    return reported;
  const { output } = reported;
  const isWrapped = Object.keys(reported).length === 1 && (output === undefined || span.isFunction);
  return isWrapped ? output : reported;
}
