import { COMMA, JsonCursor, OPEN_ARRAY, OPEN_OBJECT } from '../model/json-cursor.ts';

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
