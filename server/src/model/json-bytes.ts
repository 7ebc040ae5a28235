/** `"`, with which a text in JSON begins and ends. */
export const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Where the text that begins at `start` has its closing quote; the end of the bytes when it has none. */
export function endOfText(json: Uint8Array, start: number): number {
  let end = json.indexOf(QUOTE, start + 1);
  while (end >= 0 && isEscaped(json, end)) end = json.indexOf(QUOTE, end + 1);
  return end < 0 ? json.byteLength : end;
}

function isEscaped(json: Uint8Array, at: number): boolean {
  let before = at - 1;
  while (json[before] === BACKSLASH) before -= 1;
  return (at - 1 - before) % 2 === 1;
}
