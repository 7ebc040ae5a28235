import type { JsonText } from '../../model/json.ts';

/** A part of a JSON document: text, or text in UTF-8. */
export type JsonPiece = string | Uint8Array;

/** JSON that is already text: written into the body unchanged, never parsed. */
class Spliced {
  readonly text: JsonText;

  constructor(text: JsonText) {
    this.text = text;
  }
}

/** A value whose document is written piece by piece, as fast as the client takes it. */
class StreamedJson {
  readonly pieces: Iterable<JsonPiece> | AsyncIterable<JsonPiece>;

  constructor(pieces: Iterable<JsonPiece> | AsyncIterable<JsonPiece>) {
    this.pieces = pieces;
  }
}

/** Inserts a JSON document as a value. Only `writeJson` and `jsonPieces` may serialise an object that contains it. */
export function spliced<T = Record<string, unknown>>(text: JsonText): T {
  return new Spliced(text) as T; // the writer inserts the document here, and the document is a T
}

/** The same with a document in pieces. It may be a whole body, an item of one, or a member of either. */
export function streamedJson<T = Record<string, unknown>>(
  pieces: Iterable<JsonPiece> | AsyncIterable<JsonPiece>,
): T {
  return new StreamedJson(pieces) as T; // likewise
}

/** An array whose items are written one by one, as fast as the client takes them. */
export function streamedJsonList<T>(items: AsyncIterable<T>): T[] {
  return streamedJson<T[]>(listPieces(items));
}

/** Whether a body has to be written piece by piece. */
export function isStreamedJson(body: unknown): boolean {
  if (body instanceof StreamedJson) return true;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  return Object.values(body).some((member) => member instanceof StreamedJson);
}

/** Serialises as JSON.stringify does, and inserts spliced documents. */
export function writeJson(value: unknown): string {
  if (value instanceof Spliced) return value.text;
  if (value instanceof StreamedJson)
    throw new Error('a document in pieces is nested too deeply in a body');
  if (Array.isArray(value)) return `[${value.map(writeElement).join(',')}]`;
  if (typeof value === 'object' && value !== null) return writeObject(value);
  return JSON.stringify(value);
}

/** Serialises a body piece by piece. */
export async function* jsonPieces(value: unknown): AsyncGenerator<JsonPiece> {
  if (value instanceof StreamedJson) {
    yield* value.pieces;
    return;
  }
  if (!isStreamedJson(value)) {
    yield writeJson(value);
    return;
  }
  let separator = '{';
  // `isStreamedJson` ensures that this is an object.
  for (const [key, member] of Object.entries(value as object)) {
    if (member === undefined) continue;
    yield `${separator}${JSON.stringify(key)}:`;
    separator = ',';
    yield* jsonPieces(member);
  }
  yield '}';
}

async function* listPieces(items: AsyncIterable<unknown>): AsyncGenerator<JsonPiece> {
  let separator = '[';
  for await (const item of items) {
    yield separator;
    separator = ',';
    yield* jsonPieces(item);
  }
  yield separator === '[' ? '[]' : ']';
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
