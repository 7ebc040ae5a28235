import { isRecord } from '../../api/json-record.ts';
import type { MemberChanges } from '../json/member-changes.ts';

/** The body of POST state for an edited state; or why there is none. */
export interface StateUpdate {
  readonly update: Readonly<Record<string, unknown>>;
  readonly problem?: string;
}

/** The members that differ; of `messages` only those that are new, changed or removed, since the service merges them. */
export function stateUpdate(before: unknown, changes: MemberChanges | undefined): StateUpdate {
  if (changes === undefined) return refused('The state is an object: its keys with their values.');
  const { changed, removed } = changes;
  if (removed.length > 0)
    return refused(`A key cannot be removed: set ${removed.join(', ')} to null instead.`);
  const old = isRecord(before) ? before['messages'] : undefined;
  if (!('messages' in changed) || !Array.isArray(old)) return { update: changed };
  const messages = messageUpdate(old, changed['messages']);
  return typeof messages === 'string' ? refused(messages) : { update: { ...changed, messages } };
}

function messageUpdate(before: readonly unknown[], after: unknown): unknown[] | string {
  if (!Array.isArray(after)) return 'messages is a list.';
  const ids = after.map(idOf).filter((id) => id !== undefined);
  const old = before.map(idOf).filter((id) => id !== undefined);
  const kept = old.filter((id) => ids.includes(id));
  if (kept.some((id, index) => ids[index] !== id))
    return 'messages keep their order; new ones come last.';
  const removed = old.filter((id) => !ids.includes(id));
  const known = new Set(before.map((message) => JSON.stringify(message)));
  return [
    ...removed.map((id) => ({ type: 'remove', content: '', id })),
    ...after.filter((message) => !known.has(JSON.stringify(message))),
  ];
}

function idOf(message: unknown): string | undefined {
  const id = isRecord(message) ? message['id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

function refused(problem: string): StateUpdate {
  return { update: {}, problem };
}
