import type { JsonText } from '../model/json-text.ts';

/** JSON that is already text: written into the body as it is, never parsed. */
class Spliced {
  readonly text: JsonText;

  constructor(text: JsonText) {
    this.text = text;
  }
}

/** Puts a JSON document in the place of a value. Only `writeJson` may serialise what holds it. */
export function spliced<T = Record<string, unknown>>(text: JsonText): T {
  return new Spliced(text) as T; // the writer puts the document there, and the document is a T
}

/** Serialises as JSON.stringify does, with spliced documents in their places. */
export function writeJson(value: unknown): string {
  if (value instanceof Spliced) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeElement).join(',')}]`;
  if (typeof value === 'object' && value !== null) return writeObject(value);
  return JSON.stringify(value);
}

function writeElement(value: unknown): string {
  return value === undefined ? 'null' : writeJson(value);
}

function writeObject(value: object): string {
  let text = '';
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${writeJson(member)}`;
  }
  return `{${text}}`;
}
