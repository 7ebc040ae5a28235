// OpenAI's responses: https://platform.openai.com/docs/api-reference/responses
import type { Prompt, Turn } from './decide.ts';
import { choiceOf, piecesOf } from './openai-chat.ts';
import type { JsonSchema } from './schema-value.ts';

export interface ResponsesRequest {
  model: string;
  input: string | { role?: string; type?: string }[];
  stream?: boolean;
  tools?: { type: string; name?: string; parameters?: JsonSchema }[];
  tool_choice?: string | { type: string; name?: string };
  text?: { format?: { type: string; schema?: JsonSchema } };
}

export function responsesPrompt(body: ResponsesRequest): Prompt {
  const items = typeof body.input === 'string' ? [] : body.input;
  const last = items.findLastIndex(({ role }) => role === 'user');
  const choice = body.tool_choice;
  const schema = body.text?.format?.schema;
  return {
    // Tools of OpenAI's own, such as a web search, run there: the model just responds.
    tools: (body.tools ?? []).flatMap(({ type, name, parameters = {} }) =>
      type === 'function' && name !== undefined ? [{ name, schema: parameters }] : [],
    ),
    choice: choiceOf(typeof choice === 'object' ? { name: choice.name ?? '' } : choice),
    ...(schema !== undefined && { schema }),
    toolResults: items.slice(last + 1).filter(({ type }) => type === 'function_call_output').length,
  };
}

function outputOf(turn: Turn, id: string) {
  if (turn.calls.length === 0) {
    const content = [{ type: 'output_text', text: turn.text, annotations: [], logprobs: [] }];
    return [{ id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed', content }];
  }
  return turn.calls.map((call, index) => ({
    id: `fc_${id}_${index}`,
    type: 'function_call',
    status: 'completed',
    call_id: call.id,
    name: call.name,
    arguments: JSON.stringify(call.args),
  }));
}

/** The response as one body. */
export function responsesBody(turn: Turn, model: string, id: string, status = 'completed') {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: 1_767_323_045,
    status,
    model,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: 1,
    top_p: 1,
    tool_choice: 'auto',
    tools: [],
    output: status === 'completed' ? outputOf(turn, id) : [],
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
}

/** The response as the events of a stream. */
export function* responsesEvents(turn: Turn, model: string, id: string): Generator<string> {
  let number = 0;
  const event = (type: string, data: object): string => {
    const body = { type, sequence_number: number++, ...data };
    return `event: ${type}\ndata: ${JSON.stringify(body)}\n\n`;
  };
  const begun = responsesBody(turn, model, id, 'in_progress');
  yield event('response.created', { response: begun });
  for (const [output_index, item] of outputOf(turn, id).entries()) {
    const itemAddress = { output_index, item_id: item.id };
    const open = { ...item, status: 'in_progress', ...('content' in item && { content: [] }) };
    const added = 'arguments' in item ? { ...open, arguments: '' } : open;
    yield event('response.output_item.added', { output_index, item: added });
    if ('arguments' in item) {
      yield event('response.function_call_arguments.delta', {
        ...itemAddress,
        delta: item.arguments,
      });
      yield event('response.function_call_arguments.done', {
        ...itemAddress,
        arguments: item.arguments,
      });
    } else {
      const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
      yield event('response.content_part.added', { ...itemAddress, content_index: 0, part });
      for (const delta of piecesOf(turn.text)) {
        yield event('response.output_text.delta', { ...itemAddress, content_index: 0, delta });
      }
      const text = { ...itemAddress, content_index: 0, text: turn.text };
      yield event('response.output_text.done', text);
      const done = { ...part, text: turn.text };
      yield event('response.content_part.done', { ...itemAddress, content_index: 0, part: done });
    }
    yield event('response.output_item.done', { output_index, item });
  }
  yield event('response.completed', { response: responsesBody(turn, model, id) });
}
