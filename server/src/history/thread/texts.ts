/** Texts of recorded values: what lists show of them, and what a search finds. */
import { isObject } from '../../model/json.ts';
import { PREVIEW_CHARS, SEARCHED_CHARS } from '../limits.ts';

/** One line of a value: its newest message, its only text, its members, or its JSON. */
export function previewOf(value: unknown): string | undefined {
  const text = messageText(value) ?? onlyText(value) ?? membersText(value) ?? JSON.stringify(value);
  if (text === undefined || text === 'null') return undefined;
  const line = text.replaceAll(/[\s\0]+/g, ' ').trim();
  return line.length > PREVIEW_CHARS ? `${line.slice(0, PREVIEW_CHARS - 1)}…` : line;
}

/** The text of a message's content, which is a string or a list of parts. */
export function contentText(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const parts = content.flatMap((part) =>
    typeof part === 'string'
      ? [part]
      : isObject(part) && typeof part['text'] === 'string'
        ? [part['text']]
        : [],
  );
  return parts.length > 0 ? parts.join(' ') : undefined;
}

/** Every text within a value, one after the other, up to a limit. */
export function searchedText(value: unknown): string {
  const found: string[] = [];
  collect(value, { found, left: SEARCHED_CHARS });
  return found.join(' ');
}

function collect(value: unknown, into: { found: string[]; left: number }): void {
  if (into.left <= 0) return;
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value).slice(0, into.left);
    into.found.push(text);
    into.left -= text.length + 1;
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, into);
  } else if (isObject(value)) {
    for (const member of Object.values(value)) collect(member, into);
  }
}

function messageText(value: unknown): string | undefined {
  const messages = isObject(value) ? value['messages'] : undefined;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : messages;
  if (typeof last === 'string') return last;
  if (Array.isArray(last)) return contentText(last[1]);
  return isObject(last) ? contentText(last['content']) : undefined;
}

/** The text of an object with a single one. */
function onlyText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!isObject(value)) return undefined;
  const members = Object.values(value);
  const [only] = members;
  return members.length === 1 && typeof only === 'string' ? only : undefined;
}

/** `order: A-17, amount: 250` of an object whose members are plain values. */
function membersText(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const members = Object.entries(value);
  const isPlain = members.every(([, member]) => typeof member !== 'object' || member === null);
  if (!isPlain || members.length === 0) return undefined;
  return members.map(([name, member]) => `${name}: ${String(member)}`).join(', ');
}
