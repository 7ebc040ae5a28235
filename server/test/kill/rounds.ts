import { firstSeed } from '../fixtures/seeds.ts';

/** How many times each kill is repeated: once in `npm test`, many times in `npm run test:nightly`. */
export const rounds = roundsOf(process.env['KILL_ROUNDS'] ?? '1');

/** From so many rounds on, a median is meaningful. */
const MANY_ROUNDS = 20;

/** A round that missed its moment is played again, with other random numbers, until it was played so often. */
const TRIES = 5;

/** A long time for a round on a loaded machine: nothing hangs longer. */
export const ROUND_LIMIT_MS = 60_000;

export type Language = 'py' | 'ts';

export interface Round {
  number: number;
  /** Takes turns. */
  language: Language;
  /** In [0, 1), the same for the same seed and round. */
  random(): number;
}

/** KILL_SEED repeats what a failure names. */
const seed = Number(process.env['KILL_SEED'] ?? firstSeed);

class KillCameTooLate extends Error {}

/**
 * Ends a round that killed nothing of what it is about, so that it does not count and is played again. Comes after
 * everything that must hold whenever the kill came.
 */
export function requireInterrupted(wasAtWork: boolean, missed: string): void {
  if (!wasAtWork) throw new KillCameTooLate(missed);
}

/** Not even an empty value: no rounds would be no failures either. */
export function roundsOf(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new Error(`KILL_ROUNDS is "${text}", not a whole number from 1 on.`);
}

/** How long so many rounds may take. */
export function limitOf(count = rounds): number {
  return (count + TRIES) * ROUND_LIMIT_MS;
}

export interface RoundsOptions {
  count?: number;
  /** The language of the first round, and so of the only one in `npm test`. */
  first?: Language;
  /** What half of the rounds keep; asserted where there are many. */
  p50LimitMs?: number;
}

/**
 * Plays every round, also after one that failed, prints the figures, and rejects with all the failures. A round
 * returns how many milliseconds it took until work continued.
 */
export async function playRounds(
  what: string,
  play: (round: Round) => Promise<number>,
  { count = rounds, first = 'py', p50LimitMs = Number.POSITIVE_INFINITY }: RoundsOptions = {},
): Promise<void> {
  const times: number[] = [];
  const failures: string[] = [];
  let missed = 0;
  const other = first === 'py' ? 'ts' : 'py';
  for (let number = 1; number <= count; number += 1) {
    const language = number % 2 === 1 ? first : other;
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const random = randomOf(seed + number + (attempt - 1) * 1_000);
      try {
        times.push(await play({ number, language, random }));
        break;
      } catch (error) {
        if (error instanceof KillCameTooLate) missed += 1;
        if (error instanceof KillCameTooLate && attempt < TRIES) continue;
        const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
        failures.push(`round ${number}, attempt ${attempt}: ${reason}`);
        process.stdout.write(`${what}, round ${number} of seed ${seed} failed: ${reason}\n`);
        break;
      }
    }
  }
  const p50 = medianOf(times);
  process.stdout.write(`${what}: ${figures(times, count)}, ${missed} missed and repeated\n`);
  if (failures.length > 0) {
    throw new Error(`${failures.length} of ${count} rounds failed\n${failures.join('\n')}`);
  }
  if (count >= MANY_ROUNDS && p50 > p50LimitMs) {
    throw new Error(`Half of the rounds took more than ${p50} ms; they have ${p50LimitMs} ms.`);
  }
}

function medianOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

function figures(times: readonly number[], count: number): string {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
  const failed = `${count} rounds, ${count - times.length} failed`;
  const longest = Math.max(0, ...times);
  return `${failed}, continues after p50 ${seconds(medianOf(times))}, max ${seconds(longest)}`;
}

/** A small generator of random numbers (mulberry32), because Math.random takes no seed. */
function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
