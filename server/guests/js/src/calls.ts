import { bounded } from './event-value.ts';
import { cutText } from './guest-error.ts';
import { isRecord } from './run-config.ts';
import type { Chunk } from './wire.ts';

/** What LangChain's callbacks hand over beside the call itself, by position. */
type ModelStart = [
  model: unknown,
  input: unknown[],
  runId: string,
  parentId?: string,
  extra?: { invocation_params?: unknown },
  tags?: string[],
  metadata?: Record<string, unknown>,
  name?: string,
];
type ToolStart = [
  tool: unknown,
  input: string,
  runId: string,
  parentId?: string,
  tags?: string[],
  metadata?: Record<string, unknown>,
  name?: string,
];

interface Call {
  kind: 'model' | 'tool';
  id: string;
  parent_id: string | null;
  name: string;
  model: unknown;
  node: unknown;
  ns: string;
}

/**
 * Callbacks for LangChain that make the chunks of the mode `calls`: one at the start of every call of a model or a
 * tool and one at its end, of bounded size.
 */
export function callsHandler(emit: (chunk: Chunk) => void, withNamespace: boolean): object {
  const open = new Map<string, { began: number; call: Call }>();

  const send = (call: Call, rest: object): void => {
    const ts = new Date().toISOString();
    // The namespace of the graph: that of the task without its last part.
    const ns = withNamespace ? call.ns.split('|').slice(0, -1).join('|') : '';
    emit({ mode: 'calls', ns, json: JSON.stringify({ ...call, ...rest, ts }) });
  };

  const start = (about: {
    kind: Call['kind'];
    subject: unknown;
    input: unknown;
    id: string;
    parentId: string | undefined;
    metadata: Record<string, unknown> | undefined;
    name: string | undefined;
    params?: unknown;
  }): void => {
    const { metadata = {}, params } = about;
    const ns = metadata['langgraph_checkpoint_ns'];
    const call: Call = {
      kind: about.kind,
      id: about.id,
      parent_id: about.parentId ?? null,
      name: about.name ?? nameOf(about.subject),
      model: metadata['ls_model_name'] ?? null,
      node: metadata['langgraph_node'] ?? null,
      ns: typeof ns === 'string' ? ns : '',
    };
    open.set(about.id, { began: performance.now(), call });
    const more = params === undefined ? {} : { params: bounded(params) };
    send(call, { event: 'start', input: bounded(about.input), ...more });
  };

  const end = (id: string, rest: { output?: unknown; usage?: unknown; error?: unknown }): void => {
    const found = open.get(id);
    if (found === undefined) return;
    open.delete(id);
    send(found.call, {
      event: 'end',
      latency_ms: Math.round((performance.now() - found.began) * 1_000) / 1_000,
      output: bounded(rest.output ?? null),
      usage: bounded(rest.usage ?? null),
      error: rest.error === undefined ? null : errorText(rest.error),
    });
  };

  const modelStart = (...[subject, input, id, parentId, extra, , metadata, name]: ModelStart) => {
    const params = extra?.invocation_params;
    start({ kind: 'model', subject, input: input[0], id, parentId, metadata, name, params });
  };

  return {
    // Awaited where they happen: otherwise the last ones could come after the end of the run.
    awaitHandlers: true,
    handleChatModelStart: modelStart,
    handleLLMStart: modelStart,
    handleLLMEnd: (result: unknown, id: string) => end(id, firstGeneration(result)),
    handleLLMError: (error: unknown, id: string) => end(id, { error }),
    handleToolStart: (...[subject, input, id, parentId, , metadata, name]: ToolStart) =>
      start({ kind: 'tool', subject, input: argumentsOf(input), id, parentId, metadata, name }),
    handleToolEnd: (output: unknown, id: string) => end(id, { output }),
    handleToolError: (error: unknown, id: string) => end(id, { error }),
  };
}

/** LangChain's LLMResult: the first generation, and what it cost. */
function firstGeneration(result: unknown): { output: unknown; usage: unknown } {
  const { generations, llmOutput } = result as {
    generations?: { message?: { usage_metadata?: unknown }; text?: string }[][];
    llmOutput?: { tokenUsage?: unknown };
  }; // all of it optional
  const generation = generations?.[0]?.[0];
  const usage = generation?.message?.usage_metadata ?? llmOutput?.tokenUsage;
  return { output: generation?.message ?? generation?.text, usage };
}

/** A tool's arguments come as the JSON of an object. */
function argumentsOf(input: string): unknown {
  try {
    const parsed: unknown = JSON.parse(input);
    return isRecord(parsed) ? parsed : input;
  } catch {
    return input;
  }
}

function nameOf(subject: unknown): string {
  if (!isRecord(subject)) return '';
  const { name, id } = subject;
  if (typeof name === 'string') return name;
  return Array.isArray(id) ? String(id.at(-1) ?? '') : '';
}

function errorText(error: unknown): string {
  return cutText(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
}
