import { isRecord } from '../../api/json-record.ts';
import type { MemberChanges } from '../../ui/json/member-changes.ts';

/** The body of POST state for the edited state; or why there is none. */
export interface StateEdit {
  readonly update: Readonly<Record<string, unknown>>;
  readonly problem: string | undefined;
}

/** The members that differ; of `messages` only those that are new, changed or removed, since the service merges them. */
export function stateEdit(before: unknown, changes: MemberChanges | undefined): StateEdit {
  if (changes === undefined) return refused('The state is an object: its keys with their values.');
  const { changed, removed } = changes;
  if (removed.length > 0)
    return refused(`A key cannot be removed: set ${removed.join(', ')} to null instead.`);
  if (!('messages' in changed)) return { update: changed, problem: undefined };
  const old = isRecord(before) ? before['messages'] : undefined;
  const merged = messageEdit(old, changed['messages']);
  if (typeof merged === 'string') return refused(merged);
  return { update: { ...changed, messages: merged }, problem: undefined };
}

function messageEdit(before: unknown, after: unknown): unknown[] | string {
  if (!Array.isArray(after)) return 'messages is a list.';
  const old = new Map(list(before).map((message) => [idOf(message), message]));
  const kept = new Set(after.map(idOf));
  const removed = [...old.keys()].filter((id) => id !== undefined && !kept.has(id));
  const ids = after.map(idOf).filter((id) => id !== undefined);
  const order = [...old.keys()].filter((id) => kept.has(id));
  if (order.some((id, index) => ids[index] !== id))
    return 'messages keep their order; new ones come last.';
  const changed = after.filter((message) => {
    const known = old.get(idOf(message));
    return known === undefined || JSON.stringify(known) !== JSON.stringify(message);
  });
  return [...removed.map((id) => ({ type: 'remove', content: '', id })), ...changed];
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function idOf(message: unknown): string | undefined {
  const id = isRecord(message) ? message['id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

function refused(problem: string): StateEdit {
  return { update: {}, problem };
}
