/** @module-tag release */
/**
 * Kills around runs that begin within the workflow task that accepts them: before the thread has the request, within
 * the task, where an activity takes the run over, and around the acknowledgement. Every response that a client got
 * stays true, every request is carried out once, and `attempt` counts the invocations of runs that were durable.
 * Takes seconds because the service, its engine and its guests are real processes, which are killed.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { readLedger, type LedgerEntry } from '../fixtures/ledger.ts';
import { allGone, descendants, engineOf, type KnownProcess } from '../fixtures/process-tree.ts';
import { listRuns, type RunResponse } from '../fixtures/service-client.ts';
import { type AwaitedRun, prepareRuns } from './awaited-run.ts';
import { isGuest, type Victim } from './kill-one.ts';
import { limitOf, playRounds, requireInterrupted, ROUND_LIMIT_MS, type Round } from './rounds.ts';
import { setStage } from './stage.ts';
import { expectStillSettled, expectWhole, settled, type SettledRun } from './step-run.ts';

/** Runs take up to so long, and the kill finds each of them at another moment. */
const OLDEST_MS = 400;
/** What a killed server leaves behind ends by itself within this. */
const ORPHAN_LIMIT_MS = 30_000;

const stage = setStage();

/** A run of a round, when all is over. */
interface Played {
  run: AwaitedRun;
  /** `1 none`, `2 INFRA` */
  shown: string;
  /** Its client had the response before something was killed. */
  wasAnswered: boolean;
  /** Its client got no response to the first request. */
  isRepeated: boolean;
  /** The repeated request created it: what began before that was never durable. */
  isLate: boolean;
  /** What each of its invocations did, in the order in which they began. */
  invocations: LedgerEntry[][];
}

/** What ends the victim at once, and resolves when the service responds again; and what of the victim is left then. */
function prepareKill(victim: Victim): { kill: () => Promise<void>; left: KnownProcess[] } {
  const left = descendants(stage.service.pid);
  if (victim === 'server') {
    const kill = async (): Promise<void> => {
      await stage.service.kill();
      await stage.start();
    };
    return { kill, left };
  }
  const killed = victim === 'engine' ? [engineOf(left)] : left.filter(isGuest);
  const kill = async (): Promise<void> => {
    for (const { pid } of killed) process.kill(pid, 'SIGKILL');
    await allGone(killed, ROUND_LIMIT_MS);
    await whenHealthy(stage.url);
  };
  return { kill, left: [] };
}

/** One guest does a step after the other; a step that does not follow the one before is another invocation's. */
function invocationsOf(ledger: string): LedgerEntry[][] {
  const invocations: LedgerEntry[][] = [];
  for (const entry of readLedger(ledger)) {
    const own = invocations.findLast((entries) => entries[0]?.pid === entry.pid);
    if (own && entry.step === Number(own.at(-1)?.step) + 1) own.push(entry);
    else invocations.push([entry]);
  }
  return invocations;
}

/** Sends requests, kills, and sends them again: each has one run, whole, which is the one in every response. */
async function playRequests(
  victim: Victim,
  round: Round,
  all: SettledRun[],
): Promise<{ played: Played[]; tookMs: number }> {
  const runs = await prepareRuns(stage.url, stage.folder, round);
  const { kill, left } = prepareKill(victim);
  const { url } = stage;
  const answered = new Set<AwaitedRun>();
  const sent = runs.map(async (run) => {
    await pause(round.random() * OLDEST_MS);
    const response = await run.send(url);
    if (response) answered.add(run);
    return response;
  });
  await pause(OLDEST_MS);
  const before = new Set(answered);
  const killedAt = Date.now();
  const killing = kill();
  const responses = await Promise.all(sent);
  await killing;
  const repeated = await Promise.all(runs.map((run) => run.send(stage.url)));
  const tookMs = Date.now() - killedAt;
  await allGone(left, ORPHAN_LIMIT_MS);
  const played = runs.map(async (run, index): Promise<Played> => {
    const [response, final] = [responses[index], repeated[index]];
    if (final === undefined) throw new Error(`The repeated ${run.way} request got no response.`);
    if (response !== undefined) expect({ final, response }).toEqual({ final: response, response });
    const { run_id: runId, thread_id: threadId, created_at: createdAt } = final;
    const known = { ...run, runId, threadId };
    expect(await expectWhole(stage.url, known)).toEqual(final);
    expect(await listRuns(stage.url, threadId)).toEqual([final]);
    all.push(settled(known, final));
    const { attempt = 1, last_failure: lastFailure = 'none' } = final;
    return {
      run,
      shown: `${attempt} ${lastFailure}`,
      wasAnswered: before.has(run),
      isRepeated: response === undefined,
      isLate: response === undefined && Date.parse(String(createdAt)) > killedAt,
      invocations: invocationsOf(run.ledger),
    };
  });
  return { played: await Promise.all(played), tookMs };
}

/** What must hold of every run, whatever was killed. */
function expectInOrder({ run, shown, wasAnswered, isLate, invocations }: Played): void {
  invocations.forEach((own, index) => {
    const before = invocations[index - 1];
    const next = before ? Number(before.at(-1)?.step) + 1 : 0;
    expect(Number(own[0]?.step)).toBeLessThanOrEqual(next);
  });
  if (wasAnswered) expect([shown, invocations.length]).toEqual(['1 none', 1]);
  if (!isLate) return;
  expect(shown).toBe('1 none');
  expect(invocations.at(-1)).toHaveLength(run.total);
  // The thread of a stateless run is durable before its guest begins.
  if (run.way !== 'thread') expect(invocations).toHaveLength(1);
}

type Verdict = (played: Played) => void;

/** A guest that began a run that was durable, or was lost with one, counts as an attempt. */
const afterServer: Verdict = ({ run, shown, isRepeated, isLate, invocations }) => {
  const alive = new Set(descendants(stage.service.pid).map(({ pid }) => pid));
  const byNew = invocations.filter(([entry]) => entry && alive.has(entry.pid)).length;
  const byOld = invocations.length - byNew;
  expect([byOld, byNew]).toEqual([expect.toBeOneOf([0, 1]), expect.toBeOneOf([0, 1])]);
  if (!isRepeated) expect([shown, byOld, byNew]).toEqual(['1 none', 1, 0]);
  else if (!isLate && byNew > 0) {
    // On a thread that exists a run is durable when it has ended, or when its guest is at work.
    const isBegun = byOld > 0 || run.way === 'thread';
    expect(isBegun ? ['2 INFRA'] : ['1 none', '2 INFRA']).toContain(shown);
  }
};

/** The server outlives its engine, and with it the guests: then nothing shows. */
const afterEngine: Verdict = ({ shown, isLate, invocations }) => {
  expect(['1 none', '2 INFRA']).toContain(shown);
  if (!isLate) expect(invocations.length).toBeLessThanOrEqual(Number.parseInt(shown));
};

/** A server that lives responds to every request. */
const afterGuests: Verdict = ({ shown, isRepeated, invocations }) => {
  expect(isRepeated).toBe(false);
  expect(invocations.length > 1 ? ['2 CRASH'] : ['1 none', '2 CRASH']).toContain(shown);
};

test.each([
  { victim: 'server', first: 'py', verdict: afterServer },
  { victim: 'engine', first: 'ts', verdict: afterEngine },
  { victim: 'guest', first: 'py', verdict: afterGuests },
] as const)(
  'runs whose clients wait are carried out once, and their attempts counted, when the $victim is killed',
  async ({ victim, first, verdict }) => {
    const all: SettledRun[] = [];
    const met = new Map<string, number>();
    const play = async (round: Round): Promise<number> => {
      const { played, tookMs } = await playRequests(victim, round, all);
      for (const one of played) {
        note(met, one);
        try {
          expectInOrder(one);
          verdict(one);
        } catch (error) {
          throw new Error(`${String(error)}\n${JSON.stringify(one)}`, { cause: error });
        }
      }
      const wasHit = ({ wasAnswered, shown }: Played): boolean =>
        victim === 'guest' ? shown !== '1 none' : !wasAnswered;
      requireInterrupted(played.some(wasHit), 'every run had ended');
      return tookMs;
    };
    await playRounds(`short runs, ${victim} killed`, play, { first });
    process.stdout.write(`${JSON.stringify(Object.fromEntries(met))}\n`);
    await expectStillSettled(stage.url, all);
  },
  limitOf(),
);

/** Counts what the kills met. */
function note(met: Map<string, number>, played: Played): void {
  const { run, shown, wasAnswered, isRepeated, isLate, invocations } = played;
  const response = wasAnswered ? 'answered' : isLate ? 'late' : isRepeated ? 'repeated' : 'delayed';
  const key = `${run.way} ${response} ${shown} ${invocations.length}`;
  met.set(key, (met.get(key) ?? 0) + 1);
}
