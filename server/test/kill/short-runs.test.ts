/** @module-tag release */
/**
 * Kills around runs that begin within the workflow task that accepts them: before the thread has the request, within
 * the task, where an activity takes the run over, and around the acknowledgement. Every response that a client got
 * stays true, every request is carried out once, and `attempt` counts the invocations of runs that were durable.
 * Takes seconds because the service, its engine and its guests are real processes, which are killed.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { allGone, descendants } from '../fixtures/process-tree.ts';
import { listRuns } from '../fixtures/service-client.ts';
import { type AwaitedRun, prepareRuns } from './awaited-run.ts';
import { prepareKill, type Victim } from './kill-one.ts';
import { limitOf, playRounds, requireInterrupted, type Round } from './rounds.ts';
import {
  attemptsOf,
  invocationLimit,
  invocationsOf,
  isInOrder,
  type PlayedRun,
} from './run-truth.ts';
import { setStage } from './stage.ts';
import { expectStillSettled, expectWhole, settled, type SettledRun } from './step-run.ts';

/** Runs take up to so long, and the kill finds each of them at another moment. */
const OLDEST_MS = 400;
/** What a killed server leaves behind ends by itself within this. */
const ORPHAN_LIMIT_MS = 30_000;

const stage = setStage();

/** Sends requests, kills, and sends them again: each has one run, whole, which is the one in every response. */
async function playRequests(
  victim: Victim,
  round: Round,
  all: SettledRun[],
): Promise<{ played: PlayedRun[]; tookMs: number }> {
  const runs = await prepareRuns(stage.url, stage.folder, round);
  const { kill, left } = prepareKill(stage, victim);
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
  // A server that lives responds to every request.
  expect(victim === 'guest' ? responses : []).not.toContain(undefined);
  const repeated = await Promise.all(runs.map((run) => run.send(stage.url)));
  const tookMs = Date.now() - killedAt;
  await allGone(left, ORPHAN_LIMIT_MS);
  const played = runs.map(async (run, index): Promise<PlayedRun> => {
    const [response, final] = [responses[index], repeated[index]];
    if (final === undefined) throw new Error(`A repeated request got no response: ${run.way}`);
    expect(response ?? final).toEqual(final);
    const { run_id: runId, thread_id: threadId, created_at: createdAt } = final;
    const known = { ...run, runId, threadId };
    expect(await expectWhole(stage.url, known)).toEqual(final);
    expect(await listRuns(stage.url, threadId)).toEqual([final]);
    all.push(settled(known, final));
    const { attempt = 1, last_failure: lastFailure = 'none' } = final;
    return {
      way: run.way,
      total: run.total,
      shown: `${attempt} ${lastFailure}`,
      answered: before.has(run) ? 'before' : response ? 'after' : 'repeated',
      isLate: !response && Date.parse(String(createdAt)) > killedAt,
      invocations: invocationsOf(run.ledger),
    };
  });
  return { played: await Promise.all(played), tookMs };
}

test.each([
  ['server', 'py'],
  ['engine', 'ts'],
  ['guest', 'py'],
] as const)(
  'requests that wait have one run each, and it shows its attempts, when the %s is killed',
  async (victim, first) => {
    const all: SettledRun[] = [];
    const met = new Map<string, number>();
    const play = async (round: Round): Promise<number> => {
      const { played, tookMs } = await playRequests(victim, round, all);
      const alive = new Set(descendants(stage.service.pid).map(({ pid }) => pid));
      for (const run of played) count(met, run);
      const untrue = played.filter(
        (run) =>
          !attemptsOf(victim, run, alive).includes(run.shown) ||
          run.invocations.length > invocationLimit(victim, run) ||
          !isInOrder(run),
      );
      if (untrue.length > 0) throw new Error(`Not true: ${JSON.stringify(untrue)}`);
      const wasHit = ({ answered, shown }: PlayedRun): boolean =>
        victim === 'guest' ? shown !== '1 none' : answered !== 'before';
      requireInterrupted(played.some(wasHit), 'every run had ended');
      return tookMs;
    };
    await expect(playRounds(`short runs, ${victim} killed`, play, { first })).resolves.toBe(
      undefined,
    );
    process.stdout.write(`${JSON.stringify(Object.fromEntries(met))}\n`);
    await expectStillSettled(stage.url, all);
  },
  limitOf(),
);

/** Counts what the kills met: the way, when the response came, the attempt, the invocations. */
function count(met: Map<string, number>, run: PlayedRun): void {
  const { way, shown, answered, isLate, invocations } = run;
  const key = `${way}, ${isLate ? 'late' : answered}, ${shown}, ${invocations.length}`;
  met.set(key, (met.get(key) ?? 0) + 1);
}
