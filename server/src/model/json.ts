/** `"`, with which a JSON string begins and ends. */
export const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The index of the closing quote of the string that begins at `start`; the end of the document when it has none. */
export function endOfText(json: Uint8Array | string, start: number): number {
  let end = quoteFrom(json, start + 1);
  while (end >= 0 && isEscaped(json, end)) end = quoteFrom(json, end + 1);
  return end < 0 ? json.length : end;
}

function quoteFrom(json: Uint8Array | string, from: number): number {
  return typeof json === 'string' ? json.indexOf('"', from) : json.indexOf(QUOTE, from);
}

function isEscaped(json: Uint8Array | string, at: number): boolean {
  let before = at - 1;
  while (codeAt(json, before) === BACKSLASH) before -= 1;
  return (at - 1 - before) % 2 === 1;
}

function codeAt(json: Uint8Array | string, at: number): number | undefined {
  return typeof json === 'string' ? json.charCodeAt(at) : json[at];
}

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonMembers;

/** A JSON object. */
export interface JsonMembers {
  readonly [member: string]: Json;
}

/** A parsed JSON value as text with sorted keys: equal for equal values, however each was written. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** Whether a value is a JSON object, as opposed to a list or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A complete JSON document as text. It is passed on unchanged and parsed only where its content is read. */
export type JsonText = string & { readonly jsonText: true };

/** Marks text as JSON whose producer guarantees it: a guest's projection, or the result of JSON.stringify. */
export function jsonText(text: string): JsonText {
  return text as JsonText; // the brand exists only in the type
}

/** Serialises a value that is known to be JSON. */
export function toJsonText(value: unknown): JsonText {
  return jsonText(JSON.stringify(value));
}
