import { readLedger, type LedgerEntry } from '../fixtures/ledger.ts';
import type { AwaitedRun } from './awaited-run.ts';
import type { Victim } from './kill-one.ts';

/** A run, when all is over, and what was reported to its client. */
export interface PlayedRun {
  way: AwaitedRun['way'];
  total: number;
  /** `1 none`, `2 INFRA` */
  shown: string;
  /** The response came before the kill; after it; to the repeated request. */
  answered: 'before' | 'after' | 'repeated';
  /** The repeated request created it: what began before that was never durable. */
  isLate: boolean;
  /** What each of its invocations did, in the order in which they began. */
  invocations: LedgerEntry[][];
}

/** One guest does a step after the other; a step that does not follow its last one is another invocation's. */
export function invocationsOf(ledger: string): LedgerEntry[][] {
  const invocations: LedgerEntry[][] = [];
  for (const entry of readLedger(ledger)) {
    const own = invocations.findLast((entries) => entries[0]?.pid === entry.pid);
    if (own && entry.step === lastStep(own) + 1) own.push(entry);
    else invocations.push([entry]);
  }
  return invocations;
}

const firstStep = (entries: readonly LedgerEntry[]): number => Number(entries[0]?.step);
const lastStep = (entries: readonly LedgerEntry[]): number => Number(entries.at(-1)?.step);

/**
 * The attempts that a run may show, by what its invocations did. A guest that began a run that was durable, or that was
 * lost with it, counts; `alive`: the guests of the server that runs now.
 */
export function attemptsOf(victim: Victim, run: PlayedRun, alive: ReadonlySet<number>): string[] {
  const { way, answered, isLate, invocations } = run;
  if (answered === 'before' || isLate) return ['1 none'];
  if (victim === 'guest') {
    // INFRA: it was killed while it started, which is no fault of a run.
    return invocations.length > 1 ? ['2 CRASH'] : ['1 none', '2 CRASH', '2 INFRA'];
  }
  // The server outlives its engine, and with it the guests: then nothing shows.
  if (victim === 'engine') return invocations.length > 1 ? ['2 INFRA'] : ['1 none', '2 INFRA'];
  if (answered === 'after') return ['1 none'];
  const byNew = invocations.filter(([entry]) => entry && alive.has(entry.pid));
  if (byNew.length === 0) return ['1 none', '2 INFRA'];
  // On a thread that exists a run is durable when it has ended, or when its guest is at work.
  const isBegun = byNew.length < invocations.length || way === 'thread';
  return isBegun ? ['2 INFRA'] : ['1 none', '2 INFRA'];
}

/** How many invocations may have begun a step of the run. */
export function invocationLimit(victim: Victim, run: PlayedRun): number {
  const { way, answered, isLate } = run;
  if (answered === 'before') return 1;
  // A server that ended reported nothing that was not recorded.
  if (victim === 'server' && answered === 'after') return 1;
  // The thread of a stateless run is durable before its guest begins.
  return isLate && way !== 'thread' ? 1 : 2;
}

/** No step is left out, and what was created late was done as a whole. */
export function isInOrder({ invocations, isLate, total }: PlayedRun): boolean {
  const follow = invocations.every((own, index) => {
    const before = invocations[index - 1];
    return firstStep(own) <= (before ? lastStep(before) + 1 : 0);
  });
  return follow && (!isLate || invocations.at(-1)?.length === total);
}
