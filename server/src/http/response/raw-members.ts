import { type JsonText, jsonText } from '../../model/json.ts';

/** What a scan of a JSON object's text finds without parsing it. */
export interface ScannedObject {
  /** Top-level members as written in the text; of repeated keys the last, as in JSON.parse. */
  members: Map<string, JsonText>;
  /** How deep arrays and objects are nested. */
  depth: number;
}

const QUOTE = 34;
const BACKSLASH = 92;

/** Scans text that is known to be one JSON object. Numbers keep their digits: `1.0` stays `1.0`. */
export function scanObject(text: string): ScannedObject {
  const members = new Map<string, JsonText>();
  let depth = 0;
  let deepest = 0;
  let key: string | undefined;
  let keyText = '';
  let start = 0;
  const endMember = (end: number): void => {
    if (key !== undefined) members.set(key, jsonText(text.slice(start, end).trim()));
    key = undefined;
  };
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfString(text, at);
        if (depth === 1 && key === undefined) keyText = text.slice(at, end + 1);
        at = end;
        break;
      }
      case 58: // :
        if (depth === 1 && key === undefined) {
          key = String(JSON.parse(keyText));
          start = at + 1;
        }
        break;
      case 44: // ,
        if (depth === 1) endMember(at);
        break;
      case 91: // [
      case 123: // {
        depth += 1;
        if (depth > deepest) deepest = depth;
        break;
      case 93: // ]
      case 125: // }
        if (depth === 1) endMember(at);
        depth -= 1;
        break;
      default:
    }
  }
  return { members, depth: deepest };
}

/** An object built from members as they were sent. */
export function objectOf(members: ReadonlyMap<string, JsonText>): JsonText {
  const texts = [...members].map(([key, text]) => `${JSON.stringify(key)}:${text}`);
  return jsonText(`{${texts.join(',')}}`);
}

/** The index of the quote that ends the string beginning at `from`. */
function endOfString(text: string, from: number): number {
  let at = from;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}
