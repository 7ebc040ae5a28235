import { endOfText, QUOTE } from '../model/json.ts';

const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_ARRAY = 0x5d;
const CLOSE_OBJECT = 0x7d;

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
  let values = 1;
  let open = 0;
  let depth = 0;
  for (let at = 0; at < line.length; at += 1) {
    switch (line[at]) {
      case QUOTE:
        at = endOfText(line, at);
        break;
      case COMMA:
        values += 1;
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        values += 1;
        open += 1;
        if (open > depth) depth = open;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        open -= 1;
        break;
      default:
    }
  }
  return { values, depth };
}
