/** A message, or a part of one, in LangChain's form. */
type Message = Record<string, unknown>;

/** Joins the parts of streamed messages, as LangGraph Server's mode `messages` does. */
export interface MessageLog {
  /** The events that a part causes. */
  take(part: Message, metadata: unknown): MessageEvent[];
  /** The event for the messages of a state that are new in it; undefined: none is. */
  takeState(values: unknown): MessageEvent | undefined;
}

/** The kind is what follows `messages/` in the event's name. */
interface MessageEvent {
  kind: 'metadata' | 'partial' | 'complete';
  data: unknown;
}

const CHUNK = /MessageChunk$/;

/**
 * An empty log, for one reader of one run. LangGraph's server for JavaScript takes messages that are complete from the
 * states, its other one from the messages.
 */
export function openMessageLog({ isFromStates = false } = {}): MessageLog {
  const whole = new Map<string, Message>();
  const complete = new Set<unknown>();
  return {
    take(part, metadata) {
      const id = String(part['id']);
      const isPart = isChunk(part);
      if (isFromStates && !isPart) return [];
      const known = whole.get(id);
      const message = known && isPart ? joined(known, part) : shown(part);
      whole.set(id, message);
      const kind = isPart ? 'partial' : 'complete';
      const first = { kind: 'metadata' as const, data: { [id]: { metadata } } };
      return [...(known ? [] : [first]), { kind, data: [message] }];
    },
    takeState(values) {
      const messages = isFromStates && isObject(values) ? values['messages'] : undefined;
      const data = [messages ?? []].flat().filter((message: unknown) => {
        const id = isObject(message) ? message['id'] : undefined;
        if (typeof id !== 'string' || complete.has(id)) return false;
        complete.add(id);
        return true;
      });
      return data.length === 0 ? undefined : { kind: 'complete', data };
    },
  };
}

/** Guests for JavaScript write `ai` for both, but only message chunks have `tool_call_chunks`. */
export function isChunk(part: Message): boolean {
  return CHUNK.test(String(part['type'])) || 'tool_call_chunks' in part;
}

/** An `AIMessageChunk` is shown as the message that it is a part of. */
function shown(part: Message): Message {
  const { type, tool_call_chunks: chunks, ...rest } = part;
  if (!isChunk(part)) return part;
  const isList = Array.isArray(chunks) && chunks.length > 0;
  return {
    ...rest,
    type: String(type).replace(CHUNK, '').toLowerCase(),
    ...(isList ? { tool_call_chunks: chunks, tool_calls: callsOf(chunks as Message[]) } : {}), // LangChain's own list
  };
}

function joined(known: Message, part: Message): Message {
  const next = shown(part);
  const chunks = mergedByIndex(known['tool_call_chunks'], part['tool_call_chunks']);
  return {
    ...next,
    content: mergedContent(known['content'], next['content']),
    additional_kwargs: merged(known['additional_kwargs'], next['additional_kwargs']),
    response_metadata: merged(known['response_metadata'], next['response_metadata']),
    usage_metadata: summed(known['usage_metadata'], next['usage_metadata']),
    ...(chunks.length > 0 ? { tool_call_chunks: chunks, tool_calls: callsOf(chunks) } : {}),
  };
}

function mergedContent(known: unknown, next: unknown): unknown {
  if (typeof known === 'string' && typeof next === 'string') return known + next;
  if (typeof known === 'string' && known === '') return next;
  if (typeof next === 'string' && next === '') return known;
  return mergedByIndex(asBlocks(known), asBlocks(next));
}

function asBlocks(content: unknown): unknown[] {
  if (Array.isArray(content)) return content;
  return content === undefined || content === null ? [] : [{ type: 'text', text: content }];
}

/** LangChain's rule for lists of parts: items with the same `index` are merged. */
function mergedByIndex(known: unknown, next: unknown): Message[] {
  const list: Message[] = Array.isArray(known) ? [...(known as Message[])] : []; // lists of objects in LangChain
  for (const item of Array.isArray(next) ? (next as Message[]) : []) {
    const at = list.findIndex(({ index }) => index !== undefined && index === item['index']);
    const before = at < 0 ? undefined : list[at];
    if (before === undefined) list.push(item);
    else list[at] = { ...(merged(before, item) as Message), index: item['index'] }; // both are objects
  }
  return list;
}

/**
 * Strings are concatenated and objects merged; of other values the later one wins; null and undefined change nothing.
 */
function merged(known: unknown, next: unknown): unknown {
  if (next === undefined || next === null) return known;
  if (known === undefined || known === null) return next;
  if (typeof known === 'string' && typeof next === 'string') return known + next;
  if (Array.isArray(known) || Array.isArray(next)) return mergedByIndex(known, next);
  if (!isObject(known) || !isObject(next)) return next;
  const result: Message = { ...known };
  for (const [key, value] of Object.entries(next)) {
    // Ids and types are complete in every part, so they are replaced.
    result[key] = ['id', 'type'].includes(key)
      ? (value ?? result[key])
      : merged(result[key], value);
  }
  return result;
}

/** LangChain's rule for the usage that the parts of a message report. */
export function summed(known: unknown, next: unknown): unknown {
  if (!isObject(known)) return next ?? known;
  if (!isObject(next)) return known;
  const names = [...new Set([...Object.keys(known), ...Object.keys(next)])];
  return Object.fromEntries(names.map((name) => [name, total(known[name], next[name])]));
}

function total(known: unknown, next: unknown): unknown {
  if (typeof known === 'number' && typeof next === 'number') return known + next;
  return isObject(known) || isObject(next) ? summed(known, next) : (next ?? known);
}

/** The tool calls so far, with empty arguments until these are complete JSON. */
function callsOf(chunks: Message[]): Message[] {
  return chunks
    .filter(({ name }) => typeof name === 'string' && name !== '')
    .map(({ name, args, id }) => ({ name, args: argumentsOf(args), id, type: 'tool_call' }));
}

function argumentsOf(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
