import type { MessageWire } from '../../contract/state.ts';
import { fromBytes } from '../../model/frame.ts';
import { isObject } from '../../model/json.ts';
import { isObjectState, type StateValues } from '../../model/checkpoint/state-values.ts';
import { findMember, isArray, topLevelParts } from './json-parts.ts';

const MESSAGES = 'messages';

const roles: Record<string, string> = {
  human: 'user',
  HumanMessage: 'user',
  HumanMessageChunk: 'user',
  ai: 'assistant',
  AIMessage: 'assistant',
  AIMessageChunk: 'assistant',
  system: 'system',
  SystemMessage: 'system',
  SystemMessageChunk: 'system',
  tool: 'tool',
  ToolMessage: 'tool',
  ToolMessageChunk: 'tool',
};

/** Passed through beside role and content (decisions: "State messages[]", more fields are additive). */
const additive = ['id', 'name', 'tool_calls', 'tool_call_id'] as const;

/** A message whose content is as the state has it. */
export interface WholeMessage {
  role: string;
  content: unknown;
  [more: string]: unknown;
}

/** `messages[]` of a State: role and text of each message in `values.messages`; undefined when the state has none. */
export async function stateMessages(
  values: StateValues,
): Promise<AsyncGenerator<MessageWire> | undefined> {
  const messages = await wholeMessages(values);
  return messages && textsOf(messages);
}

/**
 * The same with whole contents. Accepts LangGraph's own form and plain `{role, content}` objects. They are parsed one by
 * one, so that a long conversation does not block other requests.
 */
export async function wholeMessages(
  values: StateValues,
): Promise<AsyncGenerator<WholeMessage> | undefined> {
  const json = await messagesJson(values);
  return json && isArray(json) ? messagesOf(json) : undefined;
}

async function* textsOf(messages: AsyncIterable<WholeMessage>): AsyncGenerator<MessageWire> {
  for await (const { role, content, ...more } of messages) {
    yield { role, content: textOf(content), ...more };
  }
}

async function messagesJson(values: StateValues): Promise<Uint8Array | undefined> {
  if (values.kind === 'whole') {
    return isObjectState(values) ? findMember(values.json, MESSAGES) : undefined;
  }
  return values.members.find(({ channel }) => channel === MESSAGES)?.json;
}

async function* messagesOf(json: Uint8Array): AsyncGenerator<WholeMessage> {
  for await (const item of topLevelParts(json)) yield* toMessage(JSON.parse(fromBytes(item)));
}

function toMessage(item: unknown): WholeMessage[] {
  if (!isObject(item)) return [];
  const kind = kindOf(item);
  const fields = isObject(item['kwargs']) ? item['kwargs'] : item;
  const given = fields['role'];
  const role = typeof given === 'string' ? given : kind;
  const message: WholeMessage = { role: roles[role] ?? role, content: fields['content'] };
  for (const name of additive) {
    const value = fields[name];
    const isEmpty = Array.isArray(value) && value.length === 0;
    if (value !== undefined && value !== null && !isEmpty) message[name] = value;
  }
  return [message];
}

/** LangChain's `type`, or the class name in its serialised constructor form. */
function kindOf(item: Record<string, unknown>): string {
  const { type, id } = item as { type?: unknown; id?: unknown }; // checked below
  if (type === 'constructor' && Array.isArray(id)) return String(id.at(-1));
  return typeof type === 'string' ? type : 'unknown';
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map(partText).join('');
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  return isObject(part) && typeof part['text'] === 'string' ? part['text'] : '';
}
