import { isRecord } from '../../api/json-record.ts';
import { contentOf } from './read-message.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Growing {
  /** As it was listed last; undefined once it has grown. */
  listed?: unknown;
  message: Fields;
  text: string;
  /** By the index of the call: pieces of its name and of its arguments. */
  calls: Map<number, { id: string; name: string; args: string }>;
}

/** Joins the pieces of stream mode `messages` into messages that grow. */
export interface LiveMessages {
  /** Processes the payload of one event, `{message, metadata}`. */
  take(payload: unknown): void;
  /** As far as they have arrived, in LangGraph's form. One that has not grown is the object of the list before. */
  list(): readonly unknown[];
}

/** Creates an empty one, for one run. */
export function createLiveMessages(): LiveMessages {
  const byId = new Map<string, Growing>();
  return {
    take(payload) {
      const inner = isRecord(payload) && isRecord(payload['data']) ? payload['data'] : payload;
      if (!isRecord(inner) || !isRecord(inner['message'])) return;
      const { message } = inner;
      if (!isRecord(message)) return;
      const id = typeof message['id'] === 'string' ? message['id'] : `live-${byId.size}`;
      const isChunk = String(message['type']).endsWith('Chunk');
      const text = textOf(message['content']);
      const known = byId.get(id);
      if (known === undefined || !isChunk) {
        const fresh: Growing = { message, text, calls: new Map() };
        byId.set(id, fresh);
        if (isChunk) takeCalls(fresh, message);
      } else {
        known.text += text;
        known.listed = undefined;
        takeCalls(known, message);
      }
    },
    list: () => [...byId.values()].map((growing) => (growing.listed ??= listed(growing))),
  };
}

function listed({ message, text, calls }: Growing): unknown {
  return {
    ...message,
    content: text,
    ...(calls.size > 0 && {
      tool_calls: [...calls.values()].map(({ id, name, args }) => ({ id, name, args })),
    }),
  };
}

function takeCalls({ calls }: Growing, message: Fields): void {
  const chunks = message['tool_call_chunks'];
  if (!Array.isArray(chunks)) return;
  for (const chunk of (chunks as unknown[]).filter(isRecord)) {
    const index = typeof chunk['index'] === 'number' ? chunk['index'] : calls.size;
    const known = calls.get(index) ?? { id: '', name: '', args: '' };
    calls.set(index, {
      id: known.id || piece(chunk['id']),
      name: known.name + piece(chunk['name']),
      args: known.args + piece(chunk['args']),
    });
  }
}

function piece(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textOf(content: unknown): string {
  return typeof content === 'string' || Array.isArray(content) ? contentOf(content).text : '';
}
