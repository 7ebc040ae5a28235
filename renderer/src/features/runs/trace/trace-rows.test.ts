import { expect, test } from 'vitest';
import type { TraceSpan } from '../../../api/generated/types.gen.ts';
import { failingSpan, slowSpans, traceRows, traceTree } from './trace-rows.ts';

const begun = Date.parse('2026-11-26T12:00:00.000Z');

function span(id: string, from: number, to: number | undefined, more: Partial<TraceSpan> = {}) {
  return {
    id,
    kind: 'node',
    name: id,
    status: to === undefined ? 'running' : 'completed',
    attempt: 1,
    started_at: new Date(begun + from).toISOString(),
    ...(to !== undefined && { duration_ms: to - from }),
    ...more,
  } satisfies TraceSpan;
}
const attempt = (n: number, from: number, to?: number, more: Partial<TraceSpan> = {}) =>
  span(`attempt-${n}`, from, to, { kind: 'attempt', attempt: n, ...more });
const shown = (spans: readonly TraceSpan[], folded: readonly string[] = []): string[] =>
  traceRows(traceTree(spans), new Set(folded)).map(
    ({ span: { id }, depth }) => `${'  '.repeat(depth)}${id}`,
  );

const spans = [
  attempt(1, 0, 1_000),
  span('plan', 10, 100),
  span('model', 20, 90, { kind: 'model', parent_id: 'plan' }),
  span('research', 100, 900),
  span('fetch-b', 120, 300, { parent_id: 'research' }),
  span('fetch-a', 110, 880, { parent_id: 'research' }),
];

test('spans are nested in their parents, parallel ones in the order of their beginnings', () => {
  expect(shown(spans)).toEqual([
    'attempt-1',
    '  plan',
    '    model',
    '  research',
    '    fetch-a',
    '    fetch-b',
  ]);
});

test('a folded span hides what is in it', () => {
  expect(shown(spans, ['research', 'model'])).toEqual([
    'attempt-1',
    '  plan',
    '    model',
    '  research',
  ]);
});

test('a span belongs to its own attempt, also when its parent was lost', () => {
  const lost = span('call', 1_110, 1_120, { kind: 'tool', parent_id: 'gone', attempt: 2 });
  expect(shown([attempt(1, 0, 900), attempt(2, 1_000, 2_000), span('a', 5, 9), lost])).toEqual([
    'attempt-1',
    '  a',
    'attempt-2',
    '  call',
  ]);
});

test('a running span has no end; a lost one ends where it began', () => {
  const rows = traceRows(
    traceTree([attempt(1, 0), span('lost', 5, undefined, { status: 'lost' })]),
    new Set(),
  );
  expect(rows.map(({ end }) => end)).toEqual([undefined, begun + 5]);
});

test('the slow spans are those whose own time counts, not the ones around them', () => {
  expect([...slowSpans(traceTree(spans))]).toEqual(['fetch-a']);
});

test('the failing span is the innermost one of the last attempt', () => {
  const failed = { status: 'error' } as const;
  const tree = traceTree([
    attempt(1, 0, 10, failed),
    span('first', 1, 9, failed),
    attempt(2, 20, 40, { ...failed, attempt: 2 }),
    span('outer', 21, 39, { ...failed, attempt: 2 }),
    span('tool', 22, 38, { ...failed, attempt: 2, kind: 'tool', parent_id: 'outer' }),
  ]);
  expect(failingSpan(tree)?.id).toBe('tool');
  expect(failingSpan(traceTree(spans))).toBeUndefined();
});
