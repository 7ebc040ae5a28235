import { isRecord } from './run-config.ts';

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
  toolCallId?: string,
];

/** A call that begins. */
export interface Call {
  kind: 'model' | 'tool';
  id: string;
  parentId: string | undefined;
  name: string;
  input: unknown;
  params?: unknown;
  metadata: Record<string, unknown>;
  /** Of the message that asks for the tool; undefined where the agent's code calls it itself. */
  toolCallId?: string | undefined;
}

export interface CallEnd {
  output?: unknown;
  usage?: unknown;
  error?: unknown;
}

/** Callbacks for LangChain that follow the calls of models and tools from their start to their end. */
export function callCallbacks(reports: {
  started(call: Call): void;
  ended(id: string, end: CallEnd): void;
  /** A tool that is an async generator yields a part of its output. */
  streamed?(id: string, delta: unknown): void;
}): object {
  const { started, ended, streamed } = reports;

  const modelStarted = (
    ...[model, input, id, parentId, extra, , metadata = {}, name]: ModelStart
  ): void =>
    started({
      kind: 'model',
      id,
      parentId,
      name: name ?? nameOf(model),
      input: input[0],
      params: extra?.invocation_params,
      metadata,
    });

  const toolStarted = (
    ...[tool, input, id, parentId, , metadata = {}, name, toolCallId]: ToolStart
  ): void =>
    started({
      kind: 'tool',
      id,
      parentId,
      name: name ?? nameOf(tool),
      input: argumentsOf(input),
      metadata,
      toolCallId,
    });

  return {
    // Awaited where they happen: otherwise the last ones could come after the end of the run.
    awaitHandlers: true,
    handleChatModelStart: modelStarted,
    handleLLMStart: modelStarted,
    handleLLMEnd: (result: unknown, id: string) => ended(id, firstGeneration(result)),
    handleLLMError: (error: unknown, id: string) => ended(id, { error }),
    handleToolStart: toolStarted,
    ...(streamed && { handleToolEvent: (delta: unknown, id: string) => streamed(id, delta) }),
    handleToolEnd: (output: unknown, id: string) => ended(id, { output }),
    handleToolError: (error: unknown, id: string) => ended(id, { error }),
  };
}

/** LangChain's LLMResult: the first generation, and what it cost. */
function firstGeneration(result: unknown): CallEnd {
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
