import type { Checkpoint } from './checkpoint.ts';

/** What is known of a thread's history: newest first. */
export interface History {
  readonly checkpoints: readonly Checkpoint[];
  /** There is nothing older. */
  readonly isComplete: boolean;
}

export interface HistoryPage {
  readonly checkpoints: readonly Checkpoint[];
  /** Fewer came than were asked for: the page reaches the oldest. */
  readonly isLast: boolean;
}

/**
 * Puts the newest page in front of what is known. Within the page's reach the page decides, so what is no longer
 * retained goes; a page that does not reach the known ones replaces them, because there would be a gap.
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

/** Puts an older page behind what is known. */
export function mergeOlder(known: History, page: HistoryPage): History {
  const oldest = known.checkpoints.at(-1)?.id;
  const older = page.checkpoints.filter(({ id }) => oldest === undefined || id < oldest);
  return { checkpoints: [...known.checkpoints, ...older], isComplete: page.isLast };
}
