import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { fromBytes } from '../../model/frame.ts';
import { endOfText, QUOTE } from '../../model/json.ts';
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  JsonCursor,
  OPEN_ARRAY,
  OPEN_OBJECT,
} from '../../model/json-cursor.ts';

/** The scan yields to other requests after every 512 KiB, some 2 ms of work. */
const STRETCH_BYTES = 512 * 1_024;

/** Whether the document is an array. */
export function isArray(json: Uint8Array): boolean {
  return json[firstByte(json)] === OPEN_ARRAY;
}

/** The parts of an array, or of an object as `"key":value`, one by one and unparsed. */
export async function* topLevelParts(json: Uint8Array): AsyncGenerator<Uint8Array> {
  const cursor = new JsonCursor(json);
  let start = 0;
  let pause = STRETCH_BYTES;
  for (let byte = cursor.next(); byte !== undefined; byte = cursor.next()) {
    if (cursor.at >= pause) {
      await yieldToEventLoop();
      pause = cursor.at + STRETCH_BYTES;
    }
    if (cursor.depth !== 1) continue;
    if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) start = cursor.at + 1;
    if (byte === COMMA) {
      yield json.subarray(start, cursor.at);
      start = cursor.at + 1;
    }
    if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      const last = json.subarray(start, cursor.at);
      if (firstByte(last) < last.byteLength) yield last;
      return;
    }
  }
}

/** A member of an object, unparsed; undefined when the document has no such member. */
export async function findMember(json: Uint8Array, key: string): Promise<Uint8Array | undefined> {
  for await (const part of topLevelParts(json)) {
    const from = firstByte(part);
    if (part[from] !== QUOTE) return undefined;
    const end = endOfText(part, from);
    if (JSON.parse(fromBytes(part.subarray(from, end + 1))) !== key) continue;
    return part.subarray(part.indexOf(COLON, end) + 1);
  }
  return undefined;
}

function firstByte(json: Uint8Array): number {
  let at = 0;
  while ((json[at] ?? QUOTE) <= 32) at += 1;
  return at;
}
