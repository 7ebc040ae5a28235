import { isRecord } from '../../api/json-record.ts';
import { fingerprint } from './fingerprint.ts';
import { childrenOf, outlineOf, previewOf, type OutlineEntry } from './json-outline-entries.ts';
import { valueAt, type JsonPath } from './json-path.ts';
import { jsonProblem, type JsonProblem } from './json-problem.ts';
import { isLargerThan, sizeOf, SMALL_SIZE } from './json-size.ts';
import { memberChanges, type MemberChanges } from './member-changes.ts';
import { structuralDiff } from './structural-diff.ts';

/** The source of a JSON value: its text (UTF-8 when in bytes), or itself. With `path`, a part of it. */
export type JsonSource = { readonly path?: JsonPath } & (
  { readonly text: string } | { readonly bytes: ArrayBuffer } | { readonly value: unknown }
);

/** A difference in the list; its values are fetched when it is opened. */
export interface ChangeEntry {
  readonly kind: 'added' | 'removed' | 'changed';
  readonly path: JsonPath;
  readonly beforePath: JsonPath;
  readonly before?: string;
  readonly after?: string;
  readonly beforeSize: number;
  readonly afterSize: number;
}

export interface ChangeList {
  readonly changes: readonly ChangeEntry[];
  /** Their number; `changes` has the first 5,000. */
  readonly total: number;
}

/** The operations on open documents, with parameters and results. All of them can be posted to a worker. */
export interface JsonOperations {
  open(id: number, source: JsonSource): OutlineEntry;
  outline(id: number, path: JsonPath): OutlineEntry;
  children(id: number, path: JsonPath, offset: number, limit: number): OutlineEntry[];
  /** Pretty-printed JSON text of a part. */
  text(id: number, path: JsonPath): string;
  value(id: number, path: JsonPath): unknown;
  diff(before: number, after: number): ChangeList;
  /** A list of objects without the content of one member: instead, the sizes of its parts. */
  skeletons(id: number, heavy: string): Skeleton[];
  /** An object whose member `heavy` keeps its keys, but of its values only those that are small or `wanted`. */
  lean(id: number, heavy: string, wanted: readonly string[]): unknown;
  /** How the object of one text differs from that of another. */
  members(before: string, text: string): MemberChanges | undefined;
  check(text: string): JsonProblem | undefined;
  close(id: number): void;
}

/** An element of a list without its heavy member, and how large the parts of that are. */
export interface Skeleton {
  readonly item: Record<string, unknown>;
  readonly size: number;
  readonly sizes: Readonly<Record<string, number>>;
  /** By key a number that changes with the value. */
  readonly prints: Readonly<Record<string, number>>;
}

const listed = 5_000;

/** Parsed JSON documents by id: in the worker, or in the page itself without a worker. */
export function openDocuments(): JsonOperations {
  const documents = new Map<number, unknown>();
  const part = (id: number, path: JsonPath): unknown => valueAt(documents.get(id), path);
  return {
    open: (id, source) => {
      const value = read(source);
      documents.set(id, value);
      return outlineOf(value, []);
    },
    outline: (id, path) => outlineOf(part(id, path), path),
    children: (id, path, offset, limit) => childrenOf(part(id, path), path, offset, limit),
    text: (id, path) => JSON.stringify(part(id, path) ?? null, null, 2),
    value: part,
    diff: (before, after) => {
      const changes = structuralDiff(documents.get(before), documents.get(after));
      return {
        total: changes.length,
        changes: changes.slice(0, listed).map(({ before: was, after: is, ...change }) => ({
          ...change,
          ...(change.kind === 'added' ? {} : { before: previewOf(was, 240) }),
          ...(change.kind === 'removed' ? {} : { after: previewOf(is, 240) }),
          beforeSize: change.kind === 'added' ? 0 : sizeOf(was),
          afterSize: change.kind === 'removed' ? 0 : sizeOf(is),
        })),
      };
    },
    skeletons: (id, heavy) => {
      const list = documents.get(id);
      return Array.isArray(list) ? list.map((item: unknown) => skeleton(item, heavy)) : [];
    },
    lean: (id, heavy, wanted) => lean(documents.get(id), heavy, wanted),
    members: (before, text) => memberChanges(JSON.parse(before), text),
    check: jsonProblem,
    close: (id) => {
      documents.delete(id);
    },
  };
}

function read(source: JsonSource): unknown {
  const { path = [] } = source;
  if ('value' in source) return valueAt(source.value, path);
  const text = 'text' in source ? source.text : new TextDecoder().decode(source.bytes);
  return valueAt(JSON.parse(text), path);
}

function lean(value: unknown, heavy: string, wanted: readonly string[]): unknown {
  if (!isRecord(value)) return value;
  const content = value[heavy];
  if (!isRecord(content)) return value;
  const members = Object.entries(content).map(([key, member]) => {
    const isKept = wanted.includes(key) || !isLargerThan(member, SMALL_SIZE);
    return [key, isKept ? member : undefined];
  });
  return { ...value, [heavy]: Object.fromEntries(members) };
}

function skeleton(item: unknown, heavy: string): Skeleton {
  if (!isRecord(item)) return { item: {}, size: sizeOf(item), sizes: {}, prints: {} };
  const { [heavy]: content, ...rest } = item;
  const sizes: Record<string, number> = {};
  const prints: Record<string, number> = {};
  if (isRecord(content)) {
    for (const key of Object.keys(content)) {
      sizes[key] = sizeOf(content[key]);
      prints[key] = fingerprint(content[key]);
    }
  }
  return { item: rest, size: sizeOf(content), sizes, prints };
}
