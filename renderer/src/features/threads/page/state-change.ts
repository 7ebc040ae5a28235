import type { MemberChanges } from '../../../ui/json/member-changes.ts';

/** What an edit of the state sends, and what it cannot do. */
export interface StateChange {
  /** The keys that are different, with their new values: the body of POST state. */
  readonly update: Readonly<Record<string, unknown>>;
  /** Removed keys: a state update only sets keys. */
  readonly removed: readonly string[];
  /** Removed messages: updates of messages are merged by id. */
  readonly removedMessages: number;
}

/** The update for the changed members of a state. */
export function stateChange(
  before: Readonly<Record<string, unknown>>,
  { changed, removed }: MemberChanges,
): StateChange {
  if (!('messages' in changed)) return { update: changed, removed, removedMessages: 0 };
  const { messages: old } = before;
  const { messages } = changed;
  return {
    update: { ...changed, messages: changedMessages(old, messages) },
    removed,
    removedMessages: removedMessages(old, messages),
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
