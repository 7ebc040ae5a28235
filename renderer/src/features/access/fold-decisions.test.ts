import { expect, test } from 'vitest';
import type { AccessRecord } from '../../api/generated/types.gen.ts';
import { foldDecisions, foldId, isIn } from './fold-decisions.ts';

const decision = (id: number, changed: Partial<AccessRecord> = {}): AccessRecord => ({
  id,
  timestamp: '2026-11-21T12:00:00.000Z',
  subject: 'ada',
  operation: 'service:thread:search',
  resource: 'mrn:service:thread:*',
  decision: 'GRANT',
  phase: 'scope',
  code: 'permitted',
  reason: 'Every phase grants.',
  references: [],
  durations: { decision: 1, policies: 1 },
  phases: [],
  ...changed,
});

test('consecutive equal decisions are one row, whose id stays when newer ones join', () => {
  const known = [decision(3), decision(2), decision(1)];
  const [fold] = foldDecisions(known);
  const [grown] = foldDecisions([decision(4), ...known]);
  expect(fold?.count).toBe(3);
  expect(grown?.newest.id).toBe(4);
  expect(grown && foldId(grown)).toBe(fold && foldId(fold));
  expect([1, 4, 5].map((id) => grown && isIn(grown, id))).toEqual([true, true, false]);
});

test('another subject, resource or reason is a separate row', () => {
  const rows = foldDecisions([
    decision(6, { subject: 'bob' }),
    decision(5),
    decision(4, { resource: 'mrn:service:thread:t1' }),
    decision(3, { decision: 'DENY', phase: 'identity' }),
    decision(2, { decision: 'DENY', phase: 'identity', reason: 'Another one.' }),
    decision(1),
  ]);
  expect(rows.map(({ newest }) => newest.id)).toEqual([6, 5, 4, 3, 2, 1]);
});
