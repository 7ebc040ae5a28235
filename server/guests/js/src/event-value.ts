import { projectJson } from './json-projection.ts';

/** Characters of JSON of one value in an event of a task or a call. */
const eventLimit = 64 * 1024;
const previewLength = 4 * 1024;

/** A value as an event shows it: itself while its JSON is short, otherwise its beginning. */
export function bounded(value: unknown): unknown {
  return JSON.parse(boundedJson(value));
}

/** JSON text of the same. */
export function boundedJson(value: unknown): string {
  const json = projectJson(value);
  if (json.length <= eventLimit) return json;
  const preview = json.slice(0, previewLength);
  return JSON.stringify({ truncated: true, bytes: Buffer.byteLength(json), preview });
}
