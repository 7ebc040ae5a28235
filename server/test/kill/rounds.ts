/** How many times each kill is repeated: few in `npm test`, many in `npm run test:nightly`. */
export const rounds = Number(process.env['KILL_ROUNDS'] ?? 5);

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
const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);

/**
 * Plays every round, also after one that failed, prints the figures, and rejects with all the failures. A round
 * answers how many milliseconds it took until work went on.
 */
export async function playRounds(
  what: string,
  play: (round: Round) => Promise<number>,
  count = rounds,
): Promise<void> {
  const times: number[] = [];
  const failures: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    const language = number % 2 === 1 ? 'py' : 'ts';
    try {
      times.push(await play({ number, language, random: randomOf(seed + number) }));
    } catch (error) {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      failures.push(`round ${number}: ${reason}`);
      process.stdout.write(`${what}, round ${number} of seed ${seed} failed: ${reason}\n`);
    }
  }
  process.stdout.write(`${what}: ${figures(times, count)}\n`);
  if (failures.length > 0) {
    throw new Error(`${failures.length} of ${count} rounds failed\n${failures.join('\n')}`);
  }
}

function figures(times: readonly number[], count: number): string {
  const sorted = [...times].sort((a, b) => a - b);
  const seconds = (ms = 0): string => `${(ms / 1000).toFixed(2)} s`;
  const half = sorted[Math.floor(sorted.length / 2)];
  const failed = `${count} rounds, ${count - times.length} failed`;
  return `${failed}, goes on after p50 ${seconds(half)}, max ${seconds(sorted.at(-1))}`;
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
