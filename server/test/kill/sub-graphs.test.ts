/** @module-tag release */
/**
 * Whatever is killed while an agent is in a sub-graph without a checkpointer, with the inherited one (nested) or with
 * its own memory, or in parallel branches: its outputs, its thread's state and what the memory has counted are
 * those of a thread that nothing happened to. Takes seconds because the service, its engine and its guests are real
 * processes, which are killed.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { waitUntil } from '../fixtures/wait-until.ts';
import { killOne, type Victim } from './kill-one.ts';
import { limitOf, playRounds, requireInterrupted, ROUND_LIMIT_MS, type Round } from './rounds.ts';
import { setStage } from './stage.ts';
import {
  ASKING,
  openThread,
  PAUSE_MS,
  PLAIN,
  undisturbed,
  type SubGraphThread,
  type Turn,
  type Undisturbed,
} from './sub-graph-thread.ts';

const VICTIMS: Victim[] = ['guest', 'server', 'engine'];

const stage = setStage();

/** Kills while a step of the turn is at work, drawn from all but the last; resolves with where, and whether in time. */
async function killAmid(
  thread: SubGraphThread,
  victim: Victim,
  { steps, random }: { steps: readonly string[]; random: () => number },
): Promise<{ step: string; isCutOff: boolean }> {
  const before = thread.steps().length;
  const step = steps[Math.floor(random() * (steps.length - 1))] ?? '';
  await waitUntil(step, ROUND_LIMIT_MS, () => thread.steps(before).includes(step));
  await pause(random() * PAUSE_MS);
  const isCutOff = !thread.steps(before).includes(steps.at(-1) ?? '');
  await killOne(stage, victim);
  return { step, isCutOff };
}

async function playRound(
  { language, number, random }: Round,
  turns: readonly Turn[],
  whole: Undisturbed,
): Promise<number> {
  const victim = VICTIMS[(number - 1) % VICTIMS.length] ?? 'guest';
  const durability = random() < 0.5 ? 'sync' : 'async';
  const thread = openThread(stage, language);
  const kills: { step: string; isCutOff: boolean }[] = [];
  let longestMs = 0;
  for (const [index, turn] of turns.entries()) {
    const { outcome, steps } = whole[index] ?? { steps: [] };
    // Of two turns that may be killed the first one is, and the second one sometimes.
    const isKilled = turn.mayBeKilled && (kills.length === 0 || random() < 0.5);
    const amid = async (): Promise<void> => {
      kills.push(await killAmid(thread, victim, { steps, random }));
    };
    const began = performance.now();
    const found = await thread.play(turn, { durability, ...(isKilled && { amid }) });
    if (isKilled) longestMs = Math.max(longestMs, performance.now() - began);
    const [actual, expected] = [found, outcome].map((one) => JSON.stringify(one));
    if (actual === expected) continue;
    // As text: a difference of objects is not in the message of a round's failure.
    const killedAt = kills.map(({ step }) => step).join(' and at ');
    const story = `${victim} killed at ${killedAt}; turn ${index}, ${language}, ${durability}`;
    throw new Error([story, ...thread.trail, actual, 'is not', expected].join('\n'));
  }
  const areAllCutOff = kills.every(({ isCutOff }) => isCutOff);
  requireInterrupted(areAllCutOff, 'a run had begun its last step');
  return longestMs;
}

test(
  'an agent of sub-graphs and parallel branches is as one that nothing happened to, whatever is killed',
  { timeout: 2 * limitOf() },
  async () => {
    const plain = undisturbed(stage, PLAIN);
    const asking = undisturbed(stage, ASKING);
    expect((await plain('py')).map(({ outcome }) => outcome)).toMatchObject([
      { status: 'completed', state: { seen: 1, seen_by_branches: 1 } },
      { status: 'completed', state: { seen: 2, seen_by_branches: 2 } },
      { status: 'completed', state: { seen: 3, seen_by_branches: 3 } },
    ]);
    expect((await asking('py')).map(({ outcome }) => outcome)).toMatchObject([
      { status: 'completed', output: { questions: [] } },
      { status: 'interrupted', output: { questions: ['second?'] } },
      { status: 'completed', output: { questions: [], seen: 2 } },
      { status: 'completed', output: { questions: [], seen: 3 } },
    ]);
    await playRounds('sub-graphs', async (round) => {
      // Both languages of one kind, then both of the other.
      const asks = Math.floor((round.number - 1) / 2) % 2 === 1;
      const whole = await (asks ? asking : plain)(round.language);
      return playRound(round, asks ? ASKING : PLAIN, whole);
    });
  },
);
