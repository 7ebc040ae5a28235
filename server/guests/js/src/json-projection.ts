import { isDeltaSnapshot } from './delta-channels.ts';

/**
 * The JSON that people see of an agent's values, in the form LangGraph's own server gives it: messages as
 * `{type, content, id, …}`, dates as ISO text. It never throws, for any value that an agent keeps in its state.
 */
export function projectJson(value: unknown): string {
  try {
    // undefined and functions have no JSON: JSON.stringify returns undefined for them.
    return JSON.stringify(value, project) ?? 'null';
  } catch {
    return JSON.stringify(withoutCycles(value, [])) ?? 'null';
  }
}

interface DictMessage {
  id?: unknown;
  toDict(): { type: string; data: Record<string, unknown> };
}

function project(this: unknown, key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'bigint' ? value.toString() : value;
  }
  // JSON.stringify has already applied toJSON, which for messages is LangChain's constructor form.
  // `this` is the object or array that holds the value (contract of JSON.stringify).
  return projectObject((this as Record<string, unknown>)[key] ?? value, value);
}

/** `raw` is what the agent has, `value` the same after its toJSON. */
function projectObject(raw: unknown, value: unknown): unknown {
  if (isMessage(raw)) {
    const { type, data } = raw.toDict();
    return { ...data, ...(raw.id === undefined ? {} : { id: raw.id }), type };
  }
  if (isDeltaSnapshot(raw)) return raw.value;
  if (raw instanceof Map) {
    const entries = [...raw];
    return entries.every(([name]) => typeof name === 'string')
      ? Object.fromEntries(entries)
      : entries;
  }
  if (raw instanceof Set) return [...raw];
  if (raw instanceof Error) return { name: raw.name, message: raw.message };
  if (raw instanceof RegExp) return String(raw);
  if (raw instanceof Uint8Array) return Buffer.from(raw).toString('base64');
  return value;
}

function isMessage(value: unknown): value is DictMessage {
  return (
    typeof value === 'object' &&
    value !== null &&
    'toDict' in value &&
    typeof value.toDict === 'function'
  );
}

/** The slow way, for values that JSON.stringify refuses: cycles, and getters or toJSON that throw. */
function withoutCycles(value: unknown, ancestors: unknown[]): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (ancestors.includes(value)) return '[Circular]';
  const inside = [...ancestors, value];
  try {
    const projected = projectObject(value, value instanceof Date ? value.toJSON() : value);
    if (typeof projected !== 'object' || projected === null) return projected;
    if (Array.isArray(projected)) return projected.map((item) => withoutCycles(item, inside));
    return Object.fromEntries(
      Object.entries(projected).map(([key, item]) => [key, withoutCycles(item, inside)]),
    );
  } catch (error) {
    return `[${error instanceof Error ? error.message : 'not serialisable'}]`;
  }
}
