import { isObject } from '../../../model/json.ts';
import { isChunk } from '../message-log.ts';

/** LangChain's form of a message, or of a part of one. */
export type Message = Record<string, unknown>;

/** What one message, or a part of one, adds to a content block; parts with the same key belong to one block. */
export type ContentPart =
  | { key: string; kind: 'text' | 'reasoning'; text: string }
  | { key: string; kind: 'tool'; id: string | null; name: string | null; args: string }
  /** A block that comes whole. */
  | { key: string; kind: 'whole'; block: Message };

/** Messages of models are streamed; those that nodes make are in the state. */
export function isOfModel(
  message: Record<string, unknown>,
  metadata: Record<string, unknown>,
): boolean {
  const isAi = /^ai/i.test(String(message['type']));
  return isAi && (isChunk(message) || metadata['ls_model_type'] !== undefined);
}

/** What the protocol wants about a message: few members, no objects. */
export function concise(metadata: Record<string, unknown>): Record<string, unknown> {
  const from = {
    provider: 'ls_provider',
    model: 'ls_model_name',
    model_type: 'ls_model_type',
    run_id: 'run_id',
    thread_id: 'thread_id',
    langgraph_node: 'langgraph_node',
  };
  const pairs = Object.entries(from).map(([name, key]) => [name, metadata[key]] as const);
  return Object.fromEntries(pairs.filter(([, value]) => typeof value === 'string'));
}

/** The parts in the order in which blocks are sent: what was thought, what was written, what is called. */
export function contentParts(message: Message): ContentPart[] {
  const thought = isObject(message['additional_kwargs'])
    ? message['additional_kwargs']['reasoning_content']
    : undefined;
  return [
    ...textParts('reasoning', 'reasoning', thought),
    ...listed(message['content']).flatMap(partOfContent),
    ...listed(message['tool_call_chunks']).flatMap(partOfCall),
    // A message that comes whole has no chunks.
    ...(Array.isArray(message['tool_call_chunks'])
      ? []
      : [...listed(message['tool_calls']), ...listed(message['invalid_tool_calls'])].flatMap(
          (call, at) => (isObject(call) ? [wholeCall(call, at)] : []),
        )),
  ];
}

function partOfContent(item: unknown, at: number): ContentPart[] {
  if (typeof item === 'string') return textParts('text', 'text', item);
  if (!isObject(item)) return [];
  const { type, index = at } = item;
  switch (type) {
    case 'text':
      return textParts('text', `text:${String(index)}`, item['text']);
    case 'reasoning':
    case 'thinking':
      return textParts('reasoning', `reasoning:${String(index)}`, item[type]);
    // Calls are parts of their own.
    case 'tool_use':
    case 'input_json_delta':
    case 'tool_call':
    case 'tool_call_chunk':
      return [];
    default:
      return [{ key: `whole:${String(index)}`, kind: 'whole', block: wholeBlock(item) }];
  }
}

function textParts(kind: 'text' | 'reasoning', key: string, text: unknown): ContentPart[] {
  return typeof text === 'string' && text !== '' ? [{ key, kind, text }] : [];
}

function partOfCall(chunk: unknown, at: number): ContentPart[] {
  if (!isObject(chunk)) return [];
  const { index = at, id, name, args } = chunk;
  const call = { id: textOr(id, null), name: textOr(name, null), args: textOr(args, '') };
  return [{ key: `tool:${String(index)}`, kind: 'tool', ...call }];
}

function wholeCall(call: Message, at: number): ContentPart {
  const { id = null, name, args, error } = call;
  const isInvalid = call['type'] === 'invalid_tool_call' || error !== undefined;
  const block = isInvalid
    ? {
        type: 'invalid_tool_call',
        id,
        name: name ?? null,
        args: args ?? null,
        error: error ?? null,
      }
    : { type: 'tool_call', id, name, args: args ?? {} };
  return { key: `call:${at}`, kind: 'whole', block };
}

/** Blocks that the protocol names; others are carried in one that it does not. */
const named = new Set([
  ...['image', 'audio', 'video', 'file', 'non_standard'],
  ...['server_tool_call', 'server_tool_result', 'invalid_tool_call'],
]);

function wholeBlock(item: Message): Message {
  return named.has(String(item['type'])) ? item : { type: 'non_standard', value: item };
}

function listed(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

function textOr<T>(value: unknown, other: T): string | T {
  return typeof value === 'string' ? value : other;
}
