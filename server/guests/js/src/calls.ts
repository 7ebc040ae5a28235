import { callCallbacks } from './call-callbacks.ts';
import { bounded } from './event-value.ts';
import { cutText } from './guest-error.ts';
import type { Chunk } from './wire.ts';

interface ShownCall {
  kind: 'model' | 'tool';
  id: string;
  parent_id: string | null;
  name: string;
  model: unknown;
  node: unknown;
  ns: string;
  tool_call_id?: string;
}

/**
 * Callbacks for LangChain that make the chunks of the mode `calls`: one at the start of every call of a model or a
 * tool, one at its end and one for each part that a tool streams in between, of bounded size.
 */
export function callsHandler(emit: (chunk: Chunk) => void, withNamespace: boolean): object {
  const open = new Map<string, { began: number; call: ShownCall }>();

  const send = (call: ShownCall, rest: object): void => {
    const ts = new Date().toISOString();
    // The namespace of the graph: that of the task without its last part.
    const ns = withNamespace ? call.ns.split('|').slice(0, -1).join('|') : '';
    emit({ mode: 'calls', ns, json: JSON.stringify({ ...call, ...rest, ts }) });
  };

  return callCallbacks({
    started({ kind, id, parentId, name, input, params, metadata, toolCallId }) {
      const ns = metadata['langgraph_checkpoint_ns'];
      const call: ShownCall = {
        kind,
        id,
        parent_id: parentId ?? null,
        name,
        model: metadata['ls_model_name'] ?? null,
        node: metadata['langgraph_node'] ?? null,
        ns: typeof ns === 'string' ? ns : '',
        ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
      };
      open.set(id, { began: performance.now(), call });
      const more = params === undefined ? {} : { params: bounded(params) };
      send(call, { event: 'start', input: bounded(input), ...more });
    },
    streamed(id, delta) {
      const found = open.get(id);
      if (found !== undefined) send(found.call, { event: 'delta', delta: bounded(delta) });
    },
    ended(id, { output, usage, error }) {
      const found = open.get(id);
      if (found === undefined) return;
      open.delete(id);
      send(found.call, {
        event: 'end',
        latency_ms: Math.round((performance.now() - found.began) * 1_000) / 1_000,
        output: bounded(output ?? null),
        usage: bounded(usage ?? null),
        error: error === undefined ? null : errorText(error),
      });
    },
  });
}

function errorText(error: unknown): string {
  return cutText(
    error instanceof Error ? `${error.name}: ${error.message}` : `Error: ${String(error)}`,
  );
}
