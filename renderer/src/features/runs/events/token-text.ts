import type { RunStreamEvent } from '../../../api/run-stream.ts';
import { contentText, parseEvent } from './event-reading.ts';
import { isRecord, textOf } from '../../../api/json-record.ts';

/** One message of the run, joined from its pieces as they arrive. */
export interface JoinedMessage {
  readonly id: string;
  readonly node: string;
  readonly type: string;
  readonly text: string;
  /** Names of tools that it calls. */
  readonly toolCalls: readonly string[];
  readonly pieces: number;
  /** Its first row. */
  readonly seq: number;
}

interface Growing {
  id: string;
  node: string;
  type: string;
  parts: string[];
  toolCalls: Set<string>;
  pieces: number;
  seq: number;
}

/** The text of messages, joined from the events of stream mode `messages`. */
export interface TokenText {
  take(event: RunStreamEvent): void;
  messages(): readonly JoinedMessage[];
}

/** Makes an empty text. */
export function createTokenText(): TokenText {
  const byId = new Map<string, Growing>();
  return {
    take(event) {
      if (event.type !== 'messages') return;
      const payload = parseEvent(event);
      if (!isRecord(payload) || !isRecord(payload['message'])) return;
      const { message } = payload as { message: Record<string, unknown> };
      const metadata = isRecord(payload['metadata']) ? payload['metadata'] : {};
      const id = textOf(message, 'id') ?? `row ${event.seq}`;
      const type = textOf(message, 'type') ?? 'ai';
      const known = byId.get(id) ?? {
        id,
        node: textOf(metadata, 'langgraph_node') ?? '',
        type: roleOf(type),
        parts: [],
        toolCalls: new Set(),
        pieces: 0,
        seq: event.seq,
      };
      byId.set(id, known);
      const text = contentText(message['content']);
      // A whole message repeats its pieces.
      if (!isChunk(type)) known.parts = [text];
      else if (text !== '') known.parts.push(text);
      known.pieces += 1;
      for (const name of toolNames(message)) known.toolCalls.add(name);
    },
    messages: () =>
      [...byId.values()].map(({ parts, toolCalls, ...message }) => ({
        ...message,
        text: parts.join(''),
        toolCalls: [...toolCalls],
      })),
  };
}

const isChunk = (type: string): boolean => type.endsWith('Chunk');

function roleOf(type: string): string {
  const name = type.replace(/MessageChunk$|Message$/, '').toLowerCase();
  return name === 'ai' ? 'assistant' : name === 'human' ? 'user' : name;
}

function toolNames(message: Record<string, unknown>): string[] {
  const calls = [message['tool_calls'], message['tool_call_chunks']].filter(Array.isArray).flat();
  return calls.flatMap((call: unknown) => {
    const name = isRecord(call) ? textOf(call, 'name') : undefined;
    return name === undefined || name === '' ? [] : [name];
  });
}
