import { isDeltaSnapshot } from './delta-channels.ts';
import { isKeptRecord } from './unrevived.ts';

/**
 * A value as LangGraph's serialiser writes it: JSON, with records (`lc: 2`) for what JSON does not have and LangChain's
 * own records (`lc: 1`) for its objects. One kind more: data with its own `lc`, from a client or a tool, is
 * marked as data, or it would be read as an object.
 */
export function encodeJson(value: unknown): string {
  try {
    return JSON.stringify(value, encode) ?? 'null'; // functions have no JSON
  } catch {
    return encodeSlowly(value);
  }
}

function encodeSlowly(value: unknown): string {
  try {
    return JSON.stringify(value, encoderWithoutCycles()) ?? 'null';
  } catch (error) {
    return JSON.stringify(`[${error instanceof Error ? error.message : 'not serialisable'}]`);
  }
}

/** A replacer of JSON.stringify, which calls it with the object that holds the value. */
function encode(this: unknown, key: string, value: unknown): unknown {
  if (value === undefined) return { lc: 2, type: 'undefined' };
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Set) return construction('Set', [[...value]]);
  if (value instanceof Map) return construction('Map', [[...value]]);
  if (value instanceof RegExp) return construction('RegExp', [value.source, value.flags]);
  if (value instanceof Error) return construction('Error', [value.message]);
  if (value instanceof Uint8Array) return construction('Uint8Array', [[...value]], 'from');
  if (isDeltaSnapshot(value)) return { lc: 2, type: 'delta_snapshot', value: value.value };
  if (isSend(value)) return sendFields(value);
  if (!Object.hasOwn(value, 'lc') || isKeptRecord(value)) return value;
  const raw = (this as Record<string, unknown>)[key]; // before its toJSON
  return isSerializable(raw) ? value : { lc: 2, type: 'data', entries: Object.entries(value) };
}

function construction(name: string, args: unknown[], method: string | null = null): object {
  return { lc: 2, type: 'constructor', id: [name], method, args, kwargs: {} };
}

function isSend(value: object): value is { node: unknown; args: unknown; timeout?: unknown } {
  return 'lg_name' in value && value.lg_name === 'Send';
}

function sendFields(send: { node: unknown; args: unknown; timeout?: unknown }): object {
  const { node, args, timeout } = send;
  return { node, args, ...(timeout === undefined ? {} : { timeout }) };
}

/** True for LangChain's objects alone: data has no methods. */
function isSerializable(raw: unknown): boolean {
  return (
    typeof raw === 'object' &&
    raw !== null &&
    'lc_serializable' in raw &&
    'toJSON' in raw &&
    typeof raw.toJSON === 'function'
  );
}

function encoderWithoutCycles(): typeof encode {
  const open: { raw: unknown; encoded: unknown }[] = [];
  return function (key, value) {
    while (open.length > 0 && open.at(-1)?.encoded !== this) open.pop();
    const raw = (this as Record<string, unknown>)[key];
    if (typeof raw === 'object' && raw !== null && open.some((one) => one.raw === raw)) {
      return '[Circular]';
    }
    const encoded = encode.call(this, key, value);
    open.push({ raw, encoded });
    return encoded;
  };
}
