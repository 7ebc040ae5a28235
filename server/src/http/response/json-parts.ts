import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { fromBytes } from '../../model/frame.ts';
import { endOfText, QUOTE } from '../../model/json.ts';

/** The scan yields to other requests after every 512 KiB, some 2 ms of work. */
const STRETCH_BYTES = 512 * 1_024;

const COMMA = 44;
const COLON = 58;
const OPENING_BRACKET = 91;
const CLOSING_BRACKET = 93;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

/** Whether the document is an array. */
export function isArray(json: Uint8Array): boolean {
  return json[firstByte(json)] === OPENING_BRACKET;
}

/** The parts of an array, or of an object as `"key":value`, one by one and unparsed. */
export async function* topLevelParts(json: Uint8Array): AsyncGenerator<Uint8Array> {
  let depth = 0;
  let start = 0;
  let pause = STRETCH_BYTES;
  for (let at = 0; at < json.byteLength; at++) {
    if (at >= pause) {
      await yieldToEventLoop();
      pause = at + STRETCH_BYTES;
    }
    switch (json[at]) {
      case QUOTE:
        at = endOfText(json, at);
        break;
      case OPENING_BRACKET:
      case OPENING_BRACE:
        depth += 1;
        if (depth === 1) start = at + 1;
        break;
      case COMMA:
        if (depth !== 1) break;
        yield json.subarray(start, at);
        start = at + 1;
        break;
      case CLOSING_BRACKET:
      case CLOSING_BRACE: {
        depth -= 1;
        if (depth > 0) break;
        const last = json.subarray(start, at);
        if (firstByte(last) < last.byteLength) yield last;
        return;
      }
      default:
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
