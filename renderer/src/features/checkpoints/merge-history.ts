import type { Checkpoint } from './checkpoint.ts';

/** The part of a thread's history that was read: newest first. */
export interface History {
  readonly checkpoints: readonly Checkpoint[];
  /** There is nothing older. */
  readonly isComplete: boolean;
}

export interface HistoryPage {
  readonly checkpoints: readonly Checkpoint[];
  /** Fewer than requested: the page reaches the oldest. */
  readonly isLast: boolean;
}

/**
 * Puts the newest page in front of the known ones. Within its range the page is authoritative, so what is no longer
 * retained is removed; a page that does not reach the known ones replaces them, because there would be a gap.
 */
export function mergeNewest(known: History | undefined, page: HistoryPage): History {
  const oldest = page.checkpoints.at(-1)?.id;
  if (known === undefined || page.isLast || oldest === undefined)
    return { checkpoints: page.checkpoints, isComplete: page.isLast };
  const older = known.checkpoints.filter(({ id }) => id < oldest);
  const hasOverlap = known.checkpoints.some(({ id }) => id >= oldest);
  if (!hasOverlap) return { checkpoints: page.checkpoints, isComplete: false };
  return { checkpoints: [...page.checkpoints, ...older], isComplete: known.isComplete };
}

/** Appends an older page to the known ones. */
export function mergeOlder(known: History, page: HistoryPage): History {
  const oldest = known.checkpoints.at(-1)?.id;
  const older = page.checkpoints.filter(({ id }) => oldest === undefined || id < oldest);
  return { checkpoints: [...known.checkpoints, ...older], isComplete: page.isLast };
}
