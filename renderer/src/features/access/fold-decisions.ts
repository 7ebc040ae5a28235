import type { AccessRecord } from '../../api/generated/types.gen.ts';

/** Consecutive equal decisions, as a polling page causes them: one row. */
export interface DecisionFold {
  readonly newest: AccessRecord;
  readonly oldest: AccessRecord;
  readonly count: number;
}

/** Makes rows of decisions, the newest first. */
export function foldDecisions(decisions: readonly AccessRecord[]): readonly DecisionFold[] {
  const folds: { newest: AccessRecord; oldest: AccessRecord; count: number }[] = [];
  for (const decision of decisions) {
    const last = folds.at(-1);
    if (last !== undefined && isAlike(last.oldest, decision)) {
      last.oldest = decision;
      last.count += 1;
    } else folds.push({ newest: decision, oldest: decision, count: 1 });
  }
  return folds;
}

/** Stays the same while newer decisions join. */
export function foldId({ oldest }: DecisionFold): string {
  return String(oldest.id);
}

/** Whether a decision is in the row. */
export function isIn({ newest, oldest }: DecisionFold, id: number): boolean {
  return id <= newest.id && id >= oldest.id;
}

function isAlike(one: AccessRecord, other: AccessRecord): boolean {
  return (
    one.subject === other.subject &&
    one.operation === other.operation &&
    one.resource === other.resource &&
    one.decision === other.decision &&
    one.phase === other.phase &&
    one.reason === other.reason
  );
}
