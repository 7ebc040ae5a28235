import { formatDuration, formatNumber } from '../../ui/format.ts';

/** Decisions take less than what is a time elsewhere: 310 µs, 12 ms. */
export function formatMicroseconds(microseconds: number): string {
  return microseconds < 1_000
    ? `${formatNumber(microseconds)} µs`
    : formatDuration(microseconds / 1_000);
}

interface Decided {
  readonly isGranted: boolean;
  readonly phase: string;
}

/** Who said so: a yes of all phases has no single one that decided. */
export function decidedBy({ isGranted, phase }: Decided): string {
  if (phase === 'input') return 'not asked';
  return isGranted && phase === 'scope' ? 'all phases' : phase;
}
