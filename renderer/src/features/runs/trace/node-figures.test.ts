import { expect, test } from 'vitest';
import type { TraceSpan } from '../../../api/generated/types.gen.ts';
import { nodeFigures } from './node-figures.ts';

const span = (part: Partial<TraceSpan>): TraceSpan => ({
  ...{ id: 'x', kind: 'node', name: 'x', status: 'completed', attempt: 1, started_at: '' },
  ...part,
});

test('counts the calls of each node under its id in the graph', () => {
  const figures = nodeFigures([
    span({ kind: 'attempt', name: 'Attempt 1' }),
    span({ checkpoint_ns: 'draft:1', duration_ms: 30 }),
    span({ checkpoint_ns: 'draft:1|write:2', duration_ms: 10 }),
    span({ checkpoint_ns: 'draft:1|write:3', duration_ms: 20 }),
    span({ checkpoint_ns: 'draft:1|write:4', status: 'error', duration_ms: 90 }),
    span({ kind: 'model', name: 'model', checkpoint_ns: 'draft:1|write:2' }),
    span({ name: 'alone', status: 'running' }),
  ]);
  expect([...figures]).toEqual([
    ['draft', { calls: 1, errors: 0, p50Ms: 30, p95Ms: 30 }],
    ['draft:write', { calls: 3, errors: 1, p50Ms: 10, p95Ms: 20 }],
    ['alone', { calls: 1, errors: 0, p50Ms: undefined, p95Ms: undefined }],
  ]);
});
