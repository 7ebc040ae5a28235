import { formatDuration, formatNumber } from '../format.ts';

/** What is known of the calls of one node. */
export interface NodeFigures {
  readonly calls: number;
  readonly errors: number;
  /** The median of the calls that completed. */
  readonly p50Ms?: number | undefined;
  readonly p95Ms?: number | undefined;
}

/** By the id of the node. */
export type GraphFigures = ReadonlyMap<string, NodeFigures>;

/** In the drawing: `12 × 340 ms`, and what failed. */
export function shortFigures({ calls, errors, p50Ms }: NodeFigures): string {
  const called =
    p50Ms === undefined ? countOf(calls) : `${formatNumber(calls)} × ${formatDuration(p50Ms)}`;
  return errors === 0 ? called : `${called}, ${formatNumber(errors)} failed`;
}

/** In the list: `12 calls, p50 340 ms, p95 2.0 s, 1 failed`. */
export function wholeFigures({ calls, errors, p50Ms, p95Ms }: NodeFigures): string {
  return [
    countOf(calls),
    ...(p50Ms === undefined
      ? []
      : [calls === 1 ? formatDuration(p50Ms) : `p50 ${formatDuration(p50Ms)}`]),
    ...(p95Ms === undefined || calls === 1 ? [] : [`p95 ${formatDuration(p95Ms)}`]),
    ...(errors === 0 ? [] : [`${formatNumber(errors)} failed`]),
  ].join(', ');
}

function countOf(calls: number): string {
  return calls === 1 ? '1 call' : `${formatNumber(calls)} calls`;
}
