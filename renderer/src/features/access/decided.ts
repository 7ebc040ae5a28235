import { formatDuration, formatNumber } from '../../ui/format.ts';

/** Decisions take less than a millisecond: 310 µs, 12 ms. */
export function formatMicroseconds(microseconds: number): string {
  return microseconds < 1_000
    ? `${formatNumber(microseconds)} µs`
    : formatDuration(microseconds / 1_000);
}

interface Decided {
  readonly isGranted: boolean;
  readonly phase: string;
}

/** The deciding phase: when all phases grant, no single one decided. */
export function decidedBy({ isGranted, phase }: Decided): string {
  if (phase === 'input') return 'not evaluated';
  return isGranted && phase === 'scope' ? 'all phases' : phase;
}
