import { isObject } from '../json.ts';

/** A text of an item to be embedded: LangGraph's notation of paths, and its text form of the value there. */
export interface ItemText {
  /** Unique within the item. */
  path: string;
  text: string;
}

/** The texts at these paths of a JSON value; when a path yields several, each gets a number. */
export function itemTexts(value: unknown, paths: readonly string[]): ItemText[] {
  return paths.flatMap((path) => {
    const texts = textsAt(value, path);
    if (texts.length === 1) return texts.map((text) => ({ path, text }));
    return texts.map((text, index) => ({ path: `${path}.${index}`, text }));
  });
}

/**
 * The texts at one path: `a.b`, `list[0]`, `list[-1]`, `list[*].a`, `*` for every member, `{a,b.c}` for some, and `$`
 * or nothing for the whole value. Values other than text are written as in Python, objects and lists as JSON.
 */
function textsAt(value: unknown, path: string): string[] {
  if (path === '' || path === '$') return [jsonOf(value)];
  let found = [value];
  for (const step of stepsOf(path)) found = found.flatMap((inner) => next(inner, step));
  return found.flatMap(textOf);
}

/** `a.b[0].{c,d}` is `a`, `b`, `[0]`, `{c,d}`. Brackets that are not closed reach to the end. */
function stepsOf(path: string): string[] {
  return path.match(/\[[^\]]*\]?|\{[^}]*\}?|[^.[{]+/g) ?? [];
}

function next(value: unknown, step: string): unknown[] {
  if (step.startsWith('[') && step.endsWith(']')) {
    return Array.isArray(value) ? elements(value, step.slice(1, -1)) : [];
  }
  if (step.startsWith('{') && step.endsWith('}')) {
    const fields = step.slice(1, -1).split(',');
    return isObject(value) ? fields.flatMap((field) => member(value, stepsOf(field.trim()))) : [];
  }
  if (step === '*') {
    if (Array.isArray(value)) return value;
    return isObject(value) ? Object.values(value) : [];
  }
  return member(value, [step]);
}

function elements(list: readonly unknown[], index: string): unknown[] {
  if (index === '*') return [...list];
  if (!/^\s*[+-]?\d+\s*$/.test(index)) return [];
  const at = Number(index);
  const position = at < 0 ? list.length + at : at;
  return position >= 0 && position < list.length ? [list[position]] : [];
}

function member(value: unknown, names: readonly string[]): unknown[] {
  let inner = value;
  for (const name of names) {
    if (!isObject(inner) || !Object.hasOwn(inner, name)) return [];
    inner = inner[name];
  }
  return names.length === 0 ? [] : [inner];
}

function textOf(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'boolean') return [value ? 'True' : 'False'];
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return [jsonOf(value)];
}

/** JSON with sorted keys, and with the spaces that Python writes. */
function jsonOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .toSorted(compareCodePoints)
    .map((name) => `${JSON.stringify(name)}: ${jsonOf(value[name])}`);
  return `{${members.join(', ')}}`;
}

/** Python's order of texts; JavaScript compares UTF-16. */
function compareCodePoints(one: string, other: string): number {
  const [left, right] = [Array.from(one), Array.from(other)];
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
