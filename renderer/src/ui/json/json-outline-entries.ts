import { isRecord } from '../../api/json-record.ts';
import type { JsonPath } from './json-path.ts';
import { sizeOf } from './json-size.ts';

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** One line of an outline: the value at a key, without its content. */
export interface OutlineEntry {
  readonly path: JsonPath;
  readonly kind: JsonKind;
  readonly size: number;
  /** Keys of an object, elements of an array; 0 for everything else. */
  readonly count: number;
  readonly preview: string;
}

export function kindOf(value: unknown): JsonKind {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
}

/** The beginning of the value's text, on one line and no longer than the limit. */
export function previewOf(value: unknown, limit = 120): string {
  let text = '';
  const write = (next: unknown): void => {
    if (text.length > limit) return;
    if (typeof next === 'string') text += JSON.stringify(next.slice(0, limit));
    else if (Array.isArray(next)) {
      text += '[';
      next.slice(0, limit).forEach((item, index) => {
        if (index > 0) text += ', ';
        write(item);
      });
      text += ']';
    } else if (isRecord(next)) {
      text += '{';
      Object.keys(next)
        .slice(0, limit)
        .forEach((key, index) => {
          if (text.length > limit) return;
          text += `${index > 0 ? ', ' : ''}${JSON.stringify(key)}: `;
          write(next[key]);
        });
      text += '}';
    } else text += String(next);
  };
  write(value);
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

/** The outline of one value. */
export function outlineOf(value: unknown, path: JsonPath): OutlineEntry {
  const kind = kindOf(value);
  const count = Array.isArray(value)
    ? value.length
    : isRecord(value)
      ? Object.keys(value).length
      : 0;
  return { path, kind, size: sizeOf(value), count, preview: previewOf(value) };
}

/** The outlines of a page of the value's children. */
export function childrenOf(
  value: unknown,
  path: JsonPath,
  offset: number,
  limit: number,
): OutlineEntry[] {
  if (Array.isArray(value))
    return value
      .slice(offset, offset + limit)
      .map((item: unknown, index) => outlineOf(item, [...path, offset + index]));
  if (!isRecord(value)) return [];
  return Object.keys(value)
    .slice(offset, offset + limit)
    .map((key) => outlineOf(value[key], [...path, key]));
}
