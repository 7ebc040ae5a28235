import { isRecord } from '../../../api/json-record.ts';

/** What an edit of the state sends, and what it cannot do. */
export interface StateChange {
  /** The keys that are different, with their new values: the body of POST state. */
  readonly update: Readonly<Record<string, unknown>>;
  /** Removed keys: a state update only sets keys. */
  readonly removed: readonly string[];
  /** Removed messages: updates of messages are merged by id. */
  readonly removedMessages: number;
}

/** Compares two states; undefined for a text that is no JSON object. */
export function stateChange(
  before: Readonly<Record<string, unknown>>,
  text: string,
): StateChange | undefined {
  const after = parsedObject(text);
  if (after === undefined) return undefined;
  const update: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(after)) {
    if (JSON.stringify(value) === JSON.stringify(before[key])) continue;
    update[key] = key === 'messages' ? changedMessages(before[key], value) : value;
  }
  return {
    update,
    removed: Object.keys(before).filter((key) => !(key in after)),
    removedMessages: removedMessages(before['messages'], after['messages']),
  };
}

/** Only what is new or different: the service adds messages without an id again. */
function changedMessages(before: unknown, after: unknown): unknown {
  if (!Array.isArray(before) || !Array.isArray(after)) return after;
  const known = new Set(before.map((message) => JSON.stringify(message)));
  return after.filter((message) => !known.has(JSON.stringify(message)));
}

function removedMessages(before: unknown, after: unknown): number {
  if (!Array.isArray(before) || !Array.isArray(after)) return 0;
  const ids = new Set(after.map(idOf));
  return before.filter((message) => {
    const id = idOf(message);
    return id !== undefined && !ids.has(id);
  }).length;
}

function idOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'id' in message
    ? message.id
    : undefined;
}

function parsedObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
