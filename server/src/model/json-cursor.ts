import { endOfText, QUOTE } from './json.ts';

export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

const structure = new Uint8Array(128);
for (const byte of [QUOTE, COMMA, COLON, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT]) {
  structure[byte] = 1;
}

/**
 * Walks over the structure of one JSON document without parsing it: from one bracket, comma, colon or string to the
 * next. Of bytes or text: all of these are ASCII.
 */
export class JsonCursor {
  /** The index of the current character. For a string that of its opening quote. */
  at = -1;
  /** How many arrays and objects are open; one that begins or ends at the current character counts as open. */
  depth = 0;
  readonly #json: Uint8Array | string;
  /** Where the search for the next character begins. */
  #from = 0;
  #isClosing = false;

  constructor(json: Uint8Array | string) {
    this.#json = json;
  }

  /** Moves on and returns the character: a bracket, a comma, a colon or a quote; undefined after the last one. */
  next(): number | undefined {
    if (this.#isClosing) this.depth -= 1;
    this.#isClosing = false;
    const json = this.#json;
    this.at =
      typeof json === 'string' ? nextInText(json, this.#from) : nextInBytes(json, this.#from);
    if (this.at >= json.length) return undefined;
    const found = typeof json === 'string' ? json.charCodeAt(this.at) : json[this.at];
    this.#from = (found === QUOTE ? endOfText(json, this.at) : this.at) + 1;
    if (found === OPEN_ARRAY || found === OPEN_OBJECT) this.depth += 1;
    this.#isClosing = found === CLOSE_ARRAY || found === CLOSE_OBJECT;
    return found;
  }
}

function nextInText(json: string, from: number): number {
  let at = from;
  while (at < json.length && structure[json.charCodeAt(at)] !== 1) at += 1;
  return at;
}

function nextInBytes(json: Uint8Array, from: number): number {
  let at = from;
  while (at < json.length && structure[json[at] ?? 0] !== 1) at += 1;
  return at;
}

/** The size of JSON once it is parsed. */
export interface JsonSize {
  /** Upper limit of the number of values. */
  values: number;
  /** Nesting depth of its arrays and objects. */
  depth: number;
}

/**
 * Finds the size of a line of JSON without parsing it. A text is one value whatever it contains, so a checkpoint of
 * megabytes has few; `[[],[],…` has one for every three bytes, each several times as large in memory.
 */
export function scanJson(line: Uint8Array): JsonSize {
  const cursor = new JsonCursor(line);
  let values = 1;
  let depth = 0;
  for (let byte = cursor.next(); byte !== undefined; byte = cursor.next()) {
    if (byte === COMMA || byte === OPEN_ARRAY || byte === OPEN_OBJECT) values += 1;
    if (cursor.depth > depth) depth = cursor.depth;
  }
  return { values, depth };
}
