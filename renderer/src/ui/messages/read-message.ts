import { isRecord, parsedText } from '../../api/json-record.ts';

/** A tool call of a message. */
export interface ToolCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: unknown;
}

/** A message for display, from LangGraph's own form or from that of chat APIs. */
export interface ReadMessage {
  readonly id: string | undefined;
  readonly role: 'user' | 'assistant' | 'system' | 'tool' | (string & {});
  readonly name: string | undefined;
  readonly text: string;
  /** The reasoning of the model. */
  readonly thought: string;
  /** Other parts: images, files. Shown by their names. */
  readonly otherParts: readonly string[];
  readonly toolCalls: readonly ToolCall[];
  /** Of a tool's result: the call that it belongs to, and whether it failed. */
  readonly toolCallId: string | undefined;
  readonly isError: boolean;
  readonly tokens: number | undefined;
  readonly raw: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const roles: Readonly<Record<string, string>> = {
  human: 'user',
  humanmessagechunk: 'user',
  ai: 'assistant',
  aimessagechunk: 'assistant',
  systemmessagechunk: 'system',
  toolmessagechunk: 'tool',
};

/** What is read of a message never changes; those of a long conversation are listed with every frame of another. */
const known = new WeakMap<object, ReadMessage>();

/** Reads any element of a list of messages; one that is no message becomes text. */
export function readMessage(raw: unknown): ReadMessage {
  if (typeof raw === 'string') return readMessage({ role: 'user', content: raw });
  if (!isRecord(raw)) return readMessage({ role: 'unknown', content: JSON.stringify(raw) });
  const before = known.get(raw);
  if (before !== undefined) return before;
  const read = readFields(raw);
  known.set(raw, read);
  return read;
}

function readFields(raw: Fields): ReadMessage {
  const type = textIn(raw, 'type') ?? textIn(raw, 'role') ?? 'unknown';
  const { text, thought, otherParts } = contentOf(raw['content']);
  const usage = raw['usage_metadata'];
  const tokens = isRecord(usage) ? usage['total_tokens'] : undefined;
  return {
    id: textIn(raw, 'id'),
    role: roles[type.toLowerCase()] ?? type.toLowerCase(),
    name: textIn(raw, 'name'),
    text,
    thought,
    otherParts,
    toolCalls: callsOf(raw),
    toolCallId: textIn(raw, 'tool_call_id'),
    isError: raw['status'] === 'error',
    tokens: typeof tokens === 'number' ? tokens : undefined,
    raw,
  };
}

type Content = Pick<ReadMessage, 'text' | 'thought' | 'otherParts'>;

/** The parts of a message's content, by kind. */
export function contentOf(content: unknown): Content {
  const plain = (text: string): Content => ({ text, thought: '', otherParts: [] });
  if (typeof content === 'string') return plain(content);
  if (content === null || content === undefined) return plain('');
  if (!Array.isArray(content)) return plain(JSON.stringify(content, null, 2));
  const texts: string[] = [];
  const thoughts: string[] = [];
  const others: string[] = [];
  for (const part of content as unknown[]) {
    if (typeof part === 'string') texts.push(part);
    if (!isRecord(part)) continue;
    const type = textIn(part, 'type') ?? 'part';
    const thought = isThought(type) ? (textIn(part, type) ?? textIn(part, 'text')) : undefined;
    if (thought !== undefined) thoughts.push(thought);
    else if (typeof part['text'] === 'string') texts.push(part['text']);
    // Tool calls are in `tool_calls` too.
    else if (type !== 'tool_use' && type !== 'tool_call') others.push(type);
  }
  return { text: texts.join(''), thought: thoughts.join('\n\n'), otherParts: others };
}

/** Whether a part is reasoning, by the type names of the different providers. */
function isThought(type: string): boolean {
  return type === 'reasoning' || type === 'thinking';
}

function callsOf(message: Fields): ToolCall[] {
  const calls = message['tool_calls'];
  if (!Array.isArray(calls)) return [];
  return (calls as unknown[]).filter(isRecord).map((call) => {
    // Chat APIs keep name and arguments, as text, under `function`.
    const inner = isRecord(call['function']) ? call['function'] : call;
    return {
      id: textIn(call, 'id'),
      name: textIn(inner, 'name') ?? 'tool',
      args: parsedText(inner['args'] ?? inner['arguments']),
    };
  });
}

/** One entry of a conversation: a message, its tool calls with their results. */
export interface Entry {
  readonly key: string;
  readonly message: ReadMessage;
  readonly results: ReadonlyMap<ToolCall, ReadMessage>;
}

/** Puts the results of tools under their calls; others stay where they are. */
export function readConversation(messages: readonly unknown[]): readonly Entry[] {
  const read = messages.map(readMessage);
  const resultOf = new Map(
    read.flatMap((message) =>
      message.role === 'tool' && message.toolCallId !== undefined
        ? [[message.toolCallId, message] as const]
        : [],
    ),
  );
  const attached = new Set<ReadMessage>();
  const entries = read.map((message, index): Entry => {
    const results = new Map<ToolCall, ReadMessage>();
    for (const call of message.toolCalls) {
      const result = call.id === undefined ? undefined : resultOf.get(call.id);
      if (result === undefined) continue;
      results.set(call, result);
      attached.add(result);
    }
    return { key: message.id ?? String(index), message, results };
  });
  return entries.filter(({ message }) => !attached.has(message));
}
