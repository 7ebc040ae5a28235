import { isRecord } from '../../api/json-record.ts';
import { alignSequences } from './align-sequences.ts';
import { fingerprint } from './fingerprint.ts';
import type { JsonPath } from './json-path.ts';

/** One difference of two JSON values. */
export interface JsonChange {
  readonly kind: 'added' | 'removed' | 'changed';
  /** Its path after the change; for a removed value, the path before. */
  readonly path: JsonPath;
  /** Its path before; differs from `path` when an array shifted. */
  readonly beforePath: JsonPath;
  readonly before?: unknown;
  readonly after?: unknown;
}

interface Paths {
  readonly before: JsonPath;
  readonly after: JsonPath;
}

/**
 * The smallest differences of two values, in the order of the document. Elements of arrays are matched by their
 * `id` or by their content, so an insertion is one change and not a shift of everything after it.
 */
export function structuralDiff(before: unknown, after: unknown): JsonChange[] {
  const changes: JsonChange[] = [];
  compare(before, after, { before: [], after: [] }, changes);
  return changes;
}

function compare(before: unknown, after: unknown, paths: Paths, changes: JsonChange[]): void {
  if (before === after || fingerprint(before) === fingerprint(after)) return;
  if (Array.isArray(before) && Array.isArray(after)) compareArrays(before, after, paths, changes);
  else if (isRecord(before) && isRecord(after)) compareObjects(before, after, paths, changes);
  else
    changes.push({ kind: 'changed', path: paths.after, beforePath: paths.before, before, after });
}

function compareObjects(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  paths: Paths,
  changes: JsonChange[],
): void {
  for (const key of Object.keys(before)) {
    const inner = step(paths, key, key);
    if (Object.hasOwn(after, key)) compare(before[key], after[key], inner, changes);
    else changes.push(removed(inner, before[key]));
  }
  for (const key of Object.keys(after))
    if (!Object.hasOwn(before, key)) changes.push(added(step(paths, key, key), after[key]));
}

function compareArrays(
  before: readonly unknown[],
  after: readonly unknown[],
  paths: Paths,
  changes: JsonChange[],
): void {
  let [nextA, nextB] = [0, 0];
  const gap = (endA: number, endB: number): void => {
    while (nextA < endA && nextB < endB && isAlike(before[nextA], after[nextB])) {
      compare(before[nextA], after[nextB], step(paths, nextA, nextB), changes);
      nextA += 1;
      nextB += 1;
    }
    for (; nextA < endA; nextA += 1)
      changes.push(removed(step(paths, nextA, nextA), before[nextA]));
    for (; nextB < endB; nextB += 1) changes.push(added(step(paths, nextB, nextB), after[nextB]));
  };
  for (const [a, b] of alignSequences(before.map(identity), after.map(identity))) {
    gap(a, b);
    compare(before[a], after[b], step(paths, a, b), changes);
    [nextA, nextB] = [a + 1, b + 1];
  }
  gap(before.length, after.length);
}

function identity(element: unknown): string | number {
  const id = isRecord(element) ? element['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? `id ${id}` : fingerprint(element);
}

/** Whether two unmatched elements at the same position are one element that changed. */
function isAlike(before: unknown, after: unknown): boolean {
  if (!isRecord(before) || !isRecord(after)) return Array.isArray(before) === Array.isArray(after);
  return before['id'] === after['id'];
}

function step(paths: Paths, before: string | number, after: string | number): Paths {
  return { before: [...paths.before, before], after: [...paths.after, after] };
}

function removed(paths: Paths, before: unknown): JsonChange {
  return { kind: 'removed', path: paths.before, beforePath: paths.before, before };
}

function added(paths: Paths, after: unknown): JsonChange {
  return { kind: 'added', path: paths.after, beforePath: paths.before, after };
}
