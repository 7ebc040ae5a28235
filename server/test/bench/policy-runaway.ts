import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostileDomain, meeting } from '../fixtures/hostile-policies.ts';
import { openPolicyWorld, type PolicyWorld } from '../fixtures/policy-world.ts';
import { BenchClient } from './http-client.ts';
import { percentiles } from './measure.ts';
import { add, count, ms } from './report.ts';

/** Between two requests beside a runaway policy, whether the one before has its response or not. */
const BEAT_MS = 50;
/** How long such a policy is new to the evaluator: both threads run away once. */
const NEW_MS = 3_000;

/** A new thread's id. */
export async function newThread(client: BenchClient): Promise<string> {
  const made = JSON.parse(await client.send('POST', '/threads', {})) as { thread_id: string }; // the contract's
  return made.thread_id;
}

/**
 * Requests of another user at their own interval, so that one that waits does not keep the others from being sent:
 * alone, while a policy that never ends is new, and from then on.
 */
export async function requestsBesideRunaway(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-hostile-'));
  const file = join(folder, 'hostile.yaml');
  await writeFile(file, hostileDomain(0));
  const world = await openPolicyWorld([file]);
  const client = new BenchClient(world.url, await world.headersOf(meeting('admin')));
  const long = count(20_000, 5_000);
  try {
    const thread = await newThread(client);
    const call = (): Promise<unknown> => client.send('GET', `/threads/${thread}`);
    await onBeat(NEW_MS, call);
    addBeat('alone', await onBeat(long, call));
    const attack = startAttack(world, thread);
    addBeat(`beside a runaway policy, its first ${NEW_MS / 1_000} s`, await onBeat(NEW_MS, call));
    addBeat('beside it, from then on', await onBeat(long, call), '100 ms p99');
    await attack.stop();
  } finally {
    client.close();
    await world.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Two clients that ask again as soon as they are denied. */
function startAttack(world: PolicyWorld, thread: string): { stop(): Promise<unknown> } {
  let isOver = false;
  const attack = async (): Promise<void> => {
    while (!isOver) await world.ask(meeting('nested-loops'), 'GET', `/threads/${thread}`);
  };
  const attacks = [attack(), attack()];
  return {
    stop() {
      isOver = true;
      return Promise.all(attacks);
    },
  };
}

async function onBeat(length: number, call: () => Promise<unknown>): Promise<number[]> {
  const sent: Promise<number>[] = [];
  const timed = async (begin: number): Promise<number> => {
    await call();
    return performance.now() - begin;
  };
  const end = performance.now() + length;
  while (performance.now() < end) {
    sent.push(timed(performance.now()));
    await new Promise((resolve) => setTimeout(resolve, BEAT_MS));
  }
  return Promise.all(sent);
}

function addBeat(when: string, times: number[], target = ''): void {
  const { p50, p99, max } = percentiles(times);
  const figures = `p50 ${ms(p50)}, p99 ${ms(p99)}, max ${ms(max)}`;
  add(`policies: ${times.length} requests ${when}`, figures, target);
}
