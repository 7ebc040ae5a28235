const QUOTE = 0x22;
const BACKSLASH = 0x5c;
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

/** Where the text that begins at `start` has its closing quote; the end of the line when it has none. */
function endOfText(line: Uint8Array, start: number): number {
  let end = line.indexOf(QUOTE, start + 1);
  while (end >= 0 && isEscaped(line, end)) end = line.indexOf(QUOTE, end + 1);
  return end < 0 ? line.length : end;
}

function isEscaped(line: Uint8Array, at: number): boolean {
  let before = at - 1;
  while (line[before] === BACKSLASH) before -= 1;
  return (at - 1 - before) % 2 === 1;
}
