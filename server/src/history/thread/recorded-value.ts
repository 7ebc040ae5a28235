import { type JsonText, toJsonText } from '../../model/json.ts';
import { GUEST_VALUE_BYTES, PREVIEW_BYTES, RECORDED_VALUE_BYTES } from '../limits.ts';
import type { RecordedValue } from '../port.ts';

/** The value as it is recorded: whole, or its beginning with its full length. */
export function recordedValue(json: JsonText): RecordedValue {
  const bytes = bytesAbove(RECORDED_VALUE_BYTES, json);
  if (bytes === undefined) return { json };
  return { json: toJsonText(beginningOf(json, bytes)), truncatedFrom: bytes };
}

/** The same of a value that a guest has sent: it is bounded there, but guests are not trusted. */
export function boundedValue(value: unknown): unknown {
  const json = toJsonText(value);
  const bytes = bytesAbove(GUEST_VALUE_BYTES, json);
  return bytes === undefined ? value : beginningOf(json, bytes);
}

/** The length of the JSON in bytes, if it is more than the limit. */
function bytesAbove(limit: number, json: JsonText): number | undefined {
  // UTF-8 takes at most three bytes for each unit of a string.
  if (json.length * 3 <= limit) return undefined;
  const bytes = Buffer.byteLength(json);
  return bytes > limit ? bytes : undefined;
}

function beginningOf(json: JsonText, bytes: number): object {
  return { truncated: true, bytes, preview: json.slice(0, PREVIEW_BYTES) };
}
