// Anthropic's messages: https://docs.anthropic.com/en/api/messages
import type { Prompt, Turn } from './decide.ts';
import { choiceOf, piecesOf } from './openai-chat.ts';
import type { JsonSchema } from './schema-value.ts';

export interface MessagesRequest {
  model: string;
  messages: { role: string; content: string | { type: string }[] }[];
  stream?: boolean;
  tools?: { name: string; type?: string; input_schema?: JsonSchema }[];
  tool_choice?: { type: string; name?: string };
  output_config?: { format?: { schema?: JsonSchema } };
}

export function messagesPrompt(body: MessagesRequest): Prompt {
  // Results of tools come in messages of the user.
  const results = body.messages.map(({ content }) =>
    typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'tool_result').length,
  );
  const asked = body.messages.findLastIndex(
    ({ role }, index) => role === 'user' && results[index] === 0,
  );
  const choice = body.tool_choice;
  const named = choice?.type === 'tool' && choice.name !== undefined;
  const schema = body.output_config?.format?.schema;
  return {
    tools: (body.tools ?? []).flatMap(({ name, input_schema: schema }) =>
      schema === undefined ? [] : [{ name, schema }],
    ),
    choice: choiceOf(named ? { name: choice.name ?? '' } : choice?.type),
    ...(schema !== undefined && { schema }),
    toolResults: results.slice(asked + 1).reduce((sum, count) => sum + count, 0),
  };
}

/** The response as one body. */
export function messagesBody(turn: Turn, model: string, id: string) {
  const called = turn.calls.map(({ id: call, name, args }) => ({
    type: 'tool_use' as const,
    id: call.replace('call_', 'toolu_'),
    name,
    input: args,
  }));
  const text = [{ type: 'text' as const, text: turn.text }];
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: called.length === 0 ? text : called,
    stop_reason: called.length === 0 ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  };
}

/** The response as the events of a stream. */
export function* messagesEvents(turn: Turn, model: string, id: string): Generator<string> {
  const event = (type: string, data: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  const whole = messagesBody(turn, model, id);
  yield event('message_start', { message: { ...whole, content: [], stop_reason: null } });
  for (const [index, block] of whole.content.entries()) {
    const isText = block.type === 'text';
    const content_block = isText ? { ...block, text: '' } : { ...block, input: {} };
    yield event('content_block_start', { index, content_block });
    const deltas = isText
      ? piecesOf(block.text).map((text) => ({ type: 'text_delta', text }))
      : [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
    for (const delta of deltas) yield event('content_block_delta', { index, delta });
    yield event('content_block_stop', { index });
  }
  const delta = { stop_reason: whole.stop_reason, stop_sequence: null };
  yield event('message_delta', { delta, usage: { output_tokens: 5 } });
  yield event('message_stop', {});
}
