import { endOfText, QUOTE } from '../model/json-bytes.ts';

const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * How many values a line of JSON makes at most, found without making them. Text is one value whatever it holds, so a
 * checkpoint of megabytes has few; `[[],[],…` has one for every three bytes, each several times as large in memory.
 */
export function countJsonValues(line: Uint8Array): number {
  let count = 1;
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at];
    if (byte === QUOTE) at = endOfText(line, at);
    else if (byte === COMMA || byte === OPEN_ARRAY || byte === OPEN_OBJECT) count += 1;
  }
  return count;
}
