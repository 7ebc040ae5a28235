import { type JsonText, toJsonText } from '../../model/json.ts';
import { GUEST_VALUE_BYTES, PREVIEW_BYTES, RECORDED_VALUE_BYTES } from '../limits.ts';
import type { RecordedValue } from '../port.ts';

/** The value as it is recorded: whole, or its beginning with its full length. */
export function recordedValue(json: JsonText): RecordedValue {
  // UTF-8 takes at most three bytes for each unit of a string.
  if (json.length * 3 <= RECORDED_VALUE_BYTES) return { json };
  const bytes = Buffer.byteLength(json);
  if (bytes <= RECORDED_VALUE_BYTES) return { json };
  const preview = json.slice(0, PREVIEW_BYTES);
  return { json: toJsonText({ truncated: true, bytes, preview }), truncatedFrom: bytes };
}

/** The same of a value that a guest has sent: it is bounded there, but guests are not trusted. */
export function boundedValue(value: unknown): unknown {
  const json = toJsonText(value);
  if (json.length * 3 <= GUEST_VALUE_BYTES) return value;
  const bytes = Buffer.byteLength(json);
  if (bytes <= GUEST_VALUE_BYTES) return value;
  return { truncated: true, bytes, preview: json.slice(0, PREVIEW_BYTES) };
}
