import type { Agent } from './agent-registry.ts';
import { usageOf } from './call-usage.ts';
import { withParams } from './changed-params.ts';
import { describeError, GuestError } from './guest-error.ts';
import { projectJson } from './json-projection.ts';
import { type ChatModel, findModel, modelName } from './model-objects.ts';
import { isRecord } from './run-config.ts';
import type { CallModelRequest, CallModelResponse } from './wire.ts';

const notFound =
  'The agent has no model object like the one of this call now. A model that a node makes for ' +
  'itself is gone when the node has ended: make it once, beside the graph, to call it again.';
const ownTypes = new Set(['human', 'ai', 'system', 'function', 'tool', 'generic']);

/** The model of a factory may be made with the graph: it is there as long as that is. */
const kept = new Set<unknown>();

interface MessagesModule {
  mapStoredMessagesToChatMessages(stored: { type: string; data: object }[]): unknown[];
  coerceMessageLikeToMessage(message: unknown): unknown;
}

/** One call of an agent's chat model outside of its runs. Never rejects: an error is in the response. */
export async function callModel(
  request: CallModelRequest,
  agent: Agent | undefined,
  signal: AbortSignal,
): Promise<CallModelResponse> {
  const response = { outputJson: '', usageJson: '', latencyMs: 0, model: '', error: null };
  try {
    return { ...response, ...(await called(request, agent, signal)) };
  } catch (error) {
    return { ...response, error: describeError(error) };
  }
}

async function called(
  request: CallModelRequest,
  agent: Agent | undefined,
  signal: AbortSignal,
): Promise<Partial<CallModelResponse>> {
  if (agent === undefined)
    throw new GuestError('agent_not_found', `There is no agent '${request.agentId}'.`);
  if (agent.error !== undefined) throw new GuestError('agent_not_loaded', agent.error.message);
  const { library } = agent;
  const { BaseChatModel } = (await library.loadCore('./language_models/chat_models')) as {
    BaseChatModel: { prototype: object };
  }; // typed by its package
  const messages = messagesOf(
    JSON.parse(request.messagesJson) as unknown[], // the host's own
    (await library.loadCore('./messages')) as MessagesModule, // likewise
  );
  const graph = await agent.graphFor({ configurable: {}, metadata: {} }).catch(() => undefined);
  const params = recordOf(request.recordedParamsJson);
  kept.add(graph);
  const found = findModel(BaseChatModel.prototype, { ...request, params });
  kept.delete(graph);
  if (found === undefined) throw new GuestError('model_not_found', notFound);
  const { model, options } = withParams(found, recordOf(request.paramsJson));
  const made = await timed(model, messages, { ...options, signal });
  return { ...made, model: modelName(model, options) };
}

async function timed(
  model: ChatModel,
  messages: readonly unknown[],
  options: object,
): Promise<Pick<CallModelResponse, 'outputJson' | 'usageJson' | 'latencyMs'>> {
  const began = performance.now();
  const message = await model.invoke(messages, options);
  const latencyMs = Math.round((performance.now() - began) * 1_000) / 1_000;
  const usage = isRecord(message) ? usageOf(message['usage_metadata']) : null;
  return {
    latencyMs,
    outputJson: projectJson(message),
    usageJson: usage === null ? '' : JSON.stringify(usage),
  };
}

function messagesOf(values: readonly unknown[], library: MessagesModule): unknown[] {
  return values.map((value, index) => {
    try {
      if (!isRecord(value)) throw new TypeError('it is no object.');
      const { type, ...data } = value;
      return typeof type === 'string' && ownTypes.has(type)
        ? library.mapStoredMessagesToChatMessages([{ type, data }])[0]
        : library.coerceMessageLikeToMessage(value);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new GuestError(
        'invalid_request',
        `messages.${index} is no message of LangChain: ${reason}`,
      );
    }
  });
}

function recordOf(json: string): Record<string, unknown> {
  const value: unknown = json === '' ? {} : JSON.parse(json);
  return isRecord(value) ? value : {};
}
