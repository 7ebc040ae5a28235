import { type JsonText, jsonText, QUOTE } from '../../model/json.ts';
import { CLOSE_OBJECT, COLON, COMMA, JsonCursor } from '../../model/json-cursor.ts';

/** What a scan of a JSON object's text finds without parsing it. */
export interface ScannedObject {
  /** Top-level members as written in the text; of repeated keys the last, as in JSON.parse. */
  members: Map<string, JsonText>;
  /** How deep arrays and objects are nested. */
  depth: number;
}

/** Scans text that is known to be one JSON object. Numbers keep their digits: `1.0` stays `1.0`. */
export function scanObject(text: string): ScannedObject {
  const cursor = new JsonCursor(text);
  const members = new Map<string, JsonText>();
  let depth = 0;
  let key: string | undefined;
  let keyStart = 0;
  let start = 0;
  for (let byte = cursor.next(); byte !== undefined; byte = cursor.next()) {
    if (cursor.depth > depth) depth = cursor.depth;
    if (cursor.depth !== 1) continue;
    if (key === undefined) {
      if (byte === QUOTE) keyStart = cursor.at;
      if (byte === COLON) {
        key = String(JSON.parse(text.slice(keyStart, cursor.at)));
        start = cursor.at + 1;
      }
    } else if (byte === COMMA || byte === CLOSE_OBJECT) {
      members.set(key, jsonText(text.slice(start, cursor.at).trim()));
      key = undefined;
    }
  }
  return { members, depth };
}

/** An object built from members as they were sent. */
export function objectOf(members: ReadonlyMap<string, JsonText>): JsonText {
  const texts = [...members].map(([key, text]) => `${JSON.stringify(key)}:${text}`);
  return jsonText(`{${texts.join(',')}}`);
}
