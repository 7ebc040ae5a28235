import { isChunk, summed } from '../message-log.ts';
import { type ContentPart, contentParts, type Message } from './content-parts.ts';

/** An event of the channel `messages` (MessagesData of the protocol). */
export type MessageEvent = { event: string } & Record<string, unknown>;

/** Makes the events of streamed messages: their beginnings, their blocks one after the other, and their ends. */
export interface MessageFrames {
  /** A message of a model, or a part of one; `about` is in the event of its beginning. */
  take(message: Message, about: Message): MessageEvent[];
  /** Nothing of this message follows; undefined: of no message. */
  end(id?: unknown): MessageEvent[];
}

interface OpenBlock {
  index: number;
  key: string;
  content: Message;
}

interface OpenMessage {
  blocks: number;
  block?: OpenBlock | undefined;
  usage?: unknown;
}

/** No messages yet. */
export function openMessageFrames(): MessageFrames {
  const open = new Map<string, OpenMessage>();
  const ended = new Set<string>();

  function ends(id: string, message: OpenMessage): MessageEvent[] {
    open.delete(id);
    ended.add(id);
    const { usage } = message;
    const finish = { event: 'message-finish', ...(usage !== undefined && { usage }) };
    return [...closed(message), finish].map((event) => ({ ...event, id }));
  }

  return {
    take(part, about) {
      const id = String(part['id']);
      if (ended.has(id)) return [];
      const message = open.get(id) ?? { blocks: 0 };
      const start = { event: 'message-start', role: 'ai', id, metadata: about };
      const starts = open.has(id) ? [] : [start];
      open.set(id, message);
      const usage = part['usage_metadata'];
      if (usage !== undefined && usage !== null) message.usage = summed(message.usage, usage);
      const events = contentParts(part).flatMap((one) => added(message, one));
      const isLast = !isChunk(part) || part['chunk_position'] === 'last';
      return [
        ...starts,
        ...events.map((event) => ({ ...event, id })),
        ...(isLast ? ends(id, message) : []),
      ];
    },
    end(id) {
      const found = [...open].filter(([one]) => id === undefined || one === id);
      return found.flatMap(([one, message]) => ends(one, message));
    },
  };
}

/** Blocks do not interleave: the one before is finished first. */
function added(message: OpenMessage, part: ContentPart): MessageEvent[] {
  if (part.kind === 'whole') {
    const index = message.blocks;
    const ends = closed(message);
    message.blocks += 1;
    const { block: content } = part;
    return [
      ...ends,
      { event: 'content-block-start', index, content },
      { event: 'content-block-finish', index, content },
    ];
  }
  const isSame = message.block?.key === part.key;
  const before = isSame ? [] : closed(message);
  const block = isSame && message.block ? message.block : opened(message, part);
  const starts = isSame
    ? []
    : [{ event: 'content-block-start', index: block.index, content: { ...block.content } }];
  return [
    ...before,
    ...starts,
    { event: 'content-block-delta', index: block.index, delta: grown(block, part) },
  ];
}

function opened(message: OpenMessage, part: Exclude<ContentPart, { kind: 'whole' }>): OpenBlock {
  const content: Message =
    part.kind === 'tool'
      ? { type: 'tool_call_chunk', id: part.id, name: part.name, args: '' }
      : { type: part.kind, [part.kind]: '' };
  message.block = { index: message.blocks, key: part.key, content };
  message.blocks += 1;
  return message.block;
}

/** Adds the part to the block; returns the delta. Those of calls replace what was, so they carry all of it so far. */
function grown({ content }: OpenBlock, part: Exclude<ContentPart, { kind: 'whole' }>): Message {
  if (part.kind === 'tool') {
    content['id'] ??= part.id;
    content['name'] ??= part.name;
    content['args'] = String(content['args']) + part.args;
    return { type: 'block-delta', fields: { ...content } };
  }
  content[part.kind] = String(content[part.kind]) + part.text;
  return { type: `${part.kind}-delta`, [part.kind]: part.text };
}

function closed(message: OpenMessage): MessageEvent[] {
  const { block } = message;
  message.block = undefined;
  if (block === undefined) return [];
  return [{ event: 'content-block-finish', index: block.index, content: whole(block.content) }];
}

/** A call's arguments are JSON once they are complete. */
function whole(content: Message): Message {
  if (content['type'] !== 'tool_call_chunk') return content;
  const { id, name, args } = content;
  try {
    const parsed: unknown = args === '' ? {} : JSON.parse(String(args));
    return { type: 'tool_call', id, name, args: parsed };
  } catch {
    return { type: 'invalid_tool_call', id, name, args, error: 'Malformed args.' };
  }
}
