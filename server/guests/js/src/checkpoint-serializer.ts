import { encodeJson } from './checkpoint-json.ts';
import { deltaSnapshot } from './delta-channels.ts';
import type { Serializer } from './langgraph-library.ts';
import { isRevivable, type Construct } from './revived-types.ts';
import { isRecord } from './run-config.ts';
import { keepBytes, keepRecord, keptBytes } from './unrevived.ts';

type Holder = Record<string | number, unknown>;
/** Replaces a record by its object. Called when everything below the record has been made. */
type Make = () => Promise<void> | void;

/**
 * LangGraph's serialiser for checkpoints, in its format, which makes objects of the types on the list alone
 * (docs/compatibility.md). LangGraph's own hands all that looks like a LangChain object to LangChain, data of clients as
 * well, and older releases fill in variables of the environment.
 */
export function createSerializer(construct: Construct): Serializer {
  return {
    // Serialised before the first await: the graph continues and may change the value.
    async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
      if (value instanceof Uint8Array) return ['bytes', value];
      const kept = keptBytes(value);
      return kept === undefined ? ['json', encoded(encodeJson(value))] : [kept.tag, kept.data];
    },
    async loadsTyped(tag: string, data: Uint8Array | string): Promise<unknown> {
      const bytes = typeof data === 'string' ? encoded(data) : data;
      if (tag === 'bytes') return bytes;
      const root: Holder = {};
      try {
        if (tag !== 'json') return keepBytes(tag, bytes);
        root['value'] = JSON.parse(new TextDecoder().decode(bytes));
      } catch {
        return keepBytes(tag, bytes);
      }
      for (const make of recordsIn(root, construct)) await make();
      return root['value'];
    },
  };
}

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What a value is in: anything, the parts of a LangChain object, or what LangChain has marked as data. */
type Context = 'anywhere' | 'parts' | 'data';

/** LangChain's mark, since 0.3.80: the one member of what wraps data that has an `lc`. */
const escape = '__lc_escaped__';

/** What there is to make, the innermost first. */
function recordsIn(root: Holder, construct: Construct): Make[] {
  const found: Make[] = [];
  const visitAll = (value: object, context: Context): void => {
    for (const name of Object.keys(value)) visit(value as Holder, name, context); // an object is one
  };
  const visit = (holder: Holder, key: string | number, context: Context): void => {
    const value = holder[key];
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        visit(value as unknown as Holder, index, context); // an array is one
      }
    }
    if (!isRecord(value)) return;
    const put = (made: unknown): void => setOwn(holder, key, made);
    const { lc, type, id, kwargs } = value;
    if (lc === 2 || lc === undefined || context === 'data') {
      const isMarked = context === 'parts' && isEscaped(value);
      visitAll(value, isMarked ? 'data' : context);
      if (isMarked) found.push(() => put(value[escape]));
      else if (lc === 2) found.push(() => put(ofLangGraph(value)));
    } else if (lc === 1 && type === 'constructor' && isRevivable(id) && isRecord(kwargs)) {
      visitAll(kwargs, 'parts');
      found.push(() => construct(id, kwargs).then(put, () => void keepRecord(value)));
    } else {
      keepRecord(value);
    }
  };
  visit(root, 'value', 'anywhere');
  return found;
}

function isEscaped(value: object): boolean {
  return Object.hasOwn(value, escape) && Object.keys(value).length === 1;
}

/** The value of one of LangGraph's records, or ours for data. */
function ofLangGraph(record: Record<string, unknown>): unknown {
  const { type, value, entries } = record;
  if (type === 'undefined') return undefined;
  if (type === 'delta_snapshot') return deltaSnapshot(value);
  if (type === 'data' && areEntries(entries)) return Object.fromEntries(entries);
  return (type === 'constructor' && constructed(record)) || keepRecord(record);
}

function constructed({ id, args, method }: Record<string, unknown>): object | undefined {
  if (!Array.isArray(id) || id.length !== 1 || !Array.isArray(args)) return undefined;
  const [first, second]: unknown[] = args;
  try {
    if (id[0] === 'RegExp') return new RegExp(String(first), String(second));
    if (id[0] === 'Error') return new Error(String(first));
    if (!Array.isArray(first)) return undefined;
    if (id[0] === 'Set' && method !== 'from') return new Set(first);
    if (id[0] === 'Map' && areEntries(first)) return new Map(first);
    return id[0] === 'Uint8Array' ? Uint8Array.from(first as number[]) : undefined; // others become 0
  } catch {
    return undefined;
  }
}

function areEntries(value: unknown): value is [string, unknown][] {
  return Array.isArray(value) && value.every((one) => Array.isArray(one) && one.length === 2);
}

/** Also a member that is called `__proto__` stays one. */
function setOwn(holder: Holder, key: string | number, value: unknown): void {
  Object.defineProperty(holder, key, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}
