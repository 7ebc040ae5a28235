import type { TraceSpan } from '../../../api/generated/types.gen.ts';

/** One row of a trace: a span at its place in the tree. */
export interface TraceRow {
  readonly span: TraceSpan;
  readonly depth: number;
  readonly hasChildren: boolean;
  readonly isFolded: boolean;
  /** Milliseconds of the epoch. */
  readonly start: number;
  /** Undefined while it runs. */
  readonly end: number | undefined;
}

/** A trace as a tree, in the order of the beginnings. */
export interface TraceTree {
  readonly roots: readonly TraceSpan[];
  readonly childrenOf: ReadonlyMap<string, readonly TraceSpan[]>;
  readonly byId: ReadonlyMap<string, TraceSpan>;
  readonly parentOf: ReadonlyMap<string, string>;
}

/** Puts spans under their parents, and those without one under their attempt. */
export function traceTree(spans: readonly TraceSpan[]): TraceTree {
  const byId = new Map(spans.map((span) => [span.id, span]));
  const attempts = new Map(
    spans.flatMap((span) => (span.kind === 'attempt' ? [[span.attempt, span.id] as const] : [])),
  );
  const parentOf = new Map<string, string>();
  const childrenOf = new Map<string, TraceSpan[]>();
  const roots: TraceSpan[] = [];
  for (const span of spans) {
    const parent = parentIdOf(span, byId, attempts);
    if (parent === undefined) roots.push(span);
    else {
      parentOf.set(span.id, parent);
      const siblings = childrenOf.get(parent);
      if (siblings === undefined) childrenOf.set(parent, [span]);
      else siblings.push(span);
    }
  }
  for (const list of [roots, ...childrenOf.values()]) list.sort(byBeginning);
  return { roots, childrenOf, byId, parentOf };
}

function parentIdOf(
  { id, parent_id, kind, attempt }: TraceSpan,
  byId: ReadonlyMap<string, TraceSpan>,
  attempts: ReadonlyMap<number, string>,
): string | undefined {
  if (kind === 'attempt') return undefined;
  // Its parent may have been lost with the last second before a crash.
  const known = parent_id !== undefined && parent_id !== id && byId.has(parent_id);
  return known ? parent_id : attempts.get(attempt);
}

function byBeginning(a: TraceSpan, b: TraceSpan): number {
  return Date.parse(a.started_at) - Date.parse(b.started_at);
}

/** The rows of a tree from top to bottom, without what is folded away. */
export function traceRows(tree: TraceTree, folded: ReadonlySet<string>): readonly TraceRow[] {
  const rows: TraceRow[] = [];
  // A stack, not a recursion: a loop of an agent may nest as deep as it likes.
  const waiting = tree.roots.map((span) => ({ span, depth: 0 })).toReversed();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { span, depth } = next;
    const children = tree.childrenOf.get(span.id) ?? [];
    const isFolded = children.length > 0 && folded.has(span.id);
    const start = Date.parse(span.started_at);
    rows.push({
      span,
      depth,
      hasChildren: children.length > 0,
      isFolded,
      start,
      end: endOf(span, start),
    });
    if (!isFolded)
      for (const child of children.toReversed()) waiting.push({ span: child, depth: depth + 1 });
  }
  return rows;
}

function endOf({ ended_at, duration_ms, status }: TraceSpan, start: number): number | undefined {
  // More exact than the difference of two times in milliseconds.
  if (duration_ms !== undefined) return start + duration_ms;
  if (ended_at !== undefined) return Date.parse(ended_at);
  return status === 'running' ? undefined : start;
}

/** What is shorter is not slow, whatever its share. */
const notableMs = 50;

/** The spans in which most of the time went by: at least a fifth of the run, not through what they called. */
export function slowSpans(tree: TraceTree): ReadonlySet<string> {
  const took = ({ duration_ms = 0 }: TraceSpan): number => duration_ms;
  const whole = tree.roots.reduce((sum, root) => sum + took(root), 0);
  const own = [...tree.byId.values()]
    .filter(({ kind }) => kind !== 'attempt')
    .map((span) => ({ span, ms: ownTime(span, tree.childrenOf.get(span.id) ?? []) }))
    .filter(({ ms }) => ms >= Math.max(notableMs, whole / 5))
    .toSorted((a, b) => b.ms - a.ms);
  return new Set(own.slice(0, 3).map(({ span }) => span.id));
}

/** The time of a span in which none of its children ran; they may overlap. */
function ownTime(span: TraceSpan, children: readonly TraceSpan[]): number {
  const start = Date.parse(span.started_at);
  let covered = 0;
  let until = start;
  for (const child of children) {
    const from = Math.max(until, Date.parse(child.started_at));
    const to = Date.parse(child.started_at) + (child.duration_ms ?? 0);
    if (to > from) covered += to - from;
    until = Math.max(until, to);
  }
  return (span.duration_ms ?? 0) - covered;
}

/** The span in which a run failed: the innermost failed one of its last attempt. */
export function failingSpan(tree: TraceTree): TraceSpan | undefined {
  const failed = [...tree.byId.values()].filter(({ status }) => status === 'error');
  const last = Math.max(...failed.map(({ attempt }) => attempt));
  const ofLast = failed.filter(({ attempt }) => attempt === last);
  const outer = new Set(ofLast.map(({ id }) => tree.parentOf.get(id)));
  return ofLast.findLast(({ id }) => !outer.has(id));
}
