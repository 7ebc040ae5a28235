// OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat
import type { OfferedTool, Prompt, Turn } from './decide.ts';
import type { JsonSchema } from './schema-value.ts';

interface Message {
  role: string;
}
interface ChatRequest {
  model: string;
  messages: Message[];
  stream?: boolean;
  tools?: { function: { name: string; parameters?: JsonSchema } }[];
  functions?: { name: string; parameters?: JsonSchema }[];
  tool_choice?: string | { function: { name: string } };
  response_format?: { type: string; json_schema?: { schema: JsonSchema } };
}

/** How many messages of `role` come after the last one of the user. */
export function sinceUser(messages: readonly Message[], role: string): number {
  const last = messages.findLastIndex((message) => message.role === 'user');
  return messages.slice(last + 1).filter((message) => message.role === role).length;
}

export function chatPrompt(body: ChatRequest): Prompt {
  const tools: OfferedTool[] = (body.tools ?? []).map(({ function: { name, parameters } }) => ({
    name,
    schema: parameters ?? {},
  }));
  const choice = body.tool_choice;
  const schema = body.response_format?.json_schema?.schema;
  return {
    tools,
    choice: choiceOf(typeof choice === 'object' ? { name: choice.function.name } : choice),
    ...(schema !== undefined && { schema }),
    ...(body.response_format?.type === 'json_object' && { schema: { type: 'object' } }),
    toolResults: sinceUser(body.messages, 'tool'),
  };
}

/** The choices that the APIs have their own names for. */
export function choiceOf(choice: string | { name: string } | undefined): Prompt['choice'] {
  if (typeof choice === 'object' || choice === 'none') return choice;
  return choice === 'required' || choice === 'any' ? 'required' : 'auto';
}

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** The response as one body. */
export function chatBody(turn: Turn, model: string, id: string): unknown {
  const calls = toolCalls(turn);
  const message = {
    role: 'assistant',
    content: calls === undefined ? turn.text : null,
    ...(calls !== undefined && { tool_calls: calls }),
  };
  const finish_reason = calls === undefined ? 'stop' : 'tool_calls';
  const choices = [{ index: 0, message, finish_reason, logprobs: null }];
  return { id, object: 'chat.completion', created: 1_767_323_045, model, choices, usage };
}

/** The response as the events of a stream. */
export function* chatEvents(turn: Turn, model: string, id: string): Generator<string> {
  const chunk = (delta: unknown, finish_reason: string | null = null): string => {
    const choices = [{ index: 0, delta, finish_reason }];
    const body = { id, object: 'chat.completion.chunk', created: 1_767_323_045, model, choices };
    return `data: ${JSON.stringify(body)}\n\n`;
  };
  yield chunk({ role: 'assistant', content: '' });
  for (const piece of piecesOf(turn.text)) yield chunk({ content: piece });
  for (const [index, call] of (toolCalls(turn) ?? []).entries()) {
    yield chunk({
      tool_calls: [{ ...call, index, function: { ...call.function, arguments: '' } }],
    });
    yield chunk({ tool_calls: [{ index, function: { arguments: call.function.arguments } }] });
  }
  yield chunk({}, turn.calls.length === 0 ? 'stop' : 'tool_calls');
  const end = { id, object: 'chat.completion.chunk', created: 1_767_323_045, model };
  yield `data: ${JSON.stringify({ ...end, choices: [], usage })}\n\n`;
  yield 'data: [DONE]\n\n';
}

/** A text as a model streams it: word by word. */
export function piecesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<= )/);
}

function toolCalls({ calls }: Turn) {
  if (calls.length === 0) return undefined;
  return calls.map(({ id, name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
}

export type { ChatRequest };
