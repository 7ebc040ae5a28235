import { examplePolicy, openPolicyWorld, type PolicyWorld } from '../fixtures/policy-world.ts';
import { BenchClient } from './http-client.ts';
import { percentiles } from './measure.ts';
import { newThread, requestsBesideRunaway } from './policy-runaway.ts';
import { residentMegabytes } from './processes.ts';
import { add, count, ms } from './report.ts';

const ROWS = 20;
/** Memory is read when the garbage of the start has been collected. */
const SETTLE_MS = 3_000;

const ada = { sub: 'ada', mroles: ['mrn:example:role:user'] };

interface Side {
  world: PolicyWorld;
  client: BenchClient;
  thread: string;
}

/** Whole services, with tokens: what policies add to a request, to memory, and what a runaway policy does to others. */
export async function measurePolicyRequests(): Promise<void> {
  const sides = [await openSide([]), await openSide([examplePolicy('owner-only')])] as const;
  try {
    await compareSides(...sides);
  } finally {
    for (const side of sides) await closeSide(side);
  }
  await requestsBesideRunaway();
}

async function openSide(policies: readonly string[]): Promise<Side> {
  const world = await openPolicyWorld(policies);
  const client = new BenchClient(world.url, await world.headersOf(ada));
  let thread = '';
  for (let index = 0; index < ROWS; index++) thread = await newThread(client);
  return { world, client, thread };
}

async function closeSide({ client, world }: Side): Promise<void> {
  client.close();
  await world.close();
}

async function compareSides(without: Side, withThem: Side): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  addMemory('before requests', without, withThem);
  const run = { agent_id: 'chat', input: {} };
  await compare('GET thread', 1_000, without, withThem, ({ client, thread }) => {
    return client.send('GET', `/threads/${thread}`);
  });
  await compare('POST run, waited for', 200, without, withThem, ({ client, thread }) => {
    return client.send('POST', `/threads/${thread}/runs?wait=60s`, run);
  });
  await compare(`search of ${ROWS} rows`, 300, without, withThem, ({ client }) => {
    return client.send('POST', '/threads/search', { limit: ROWS });
  });
  addMemory('after them', without, withThem);
}

function addMemory(when: string, without: Side, withThem: Side): void {
  const [before, after] = [without, withThem].map(({ world }) => residentMegabytes(world.pid));
  add(
    `policies: memory of the server ${when}, without / with`,
    `${before?.toFixed(0)} / ${after?.toFixed(0)} MB`,
  );
}

/** Both services in turn, so that whatever else the machine does is the same for both. */
async function compare(
  what: string,
  full: number,
  without: Side,
  withThem: Side,
  call: (side: Side) => Promise<unknown>,
): Promise<void> {
  const times = new Map<Side, number[]>([
    [without, []],
    [withThem, []],
  ]);
  const warming = count(full / 10);
  for (let index = -warming; index < count(full, 50); index++) {
    for (const side of index % 2 === 0 ? [without, withThem] : [withThem, without]) {
      const begin = performance.now();
      await call(side);
      if (index >= 0) times.get(side)?.push(performance.now() - begin);
    }
  }
  const before = percentiles(times.get(without) ?? []).p50;
  const after = percentiles(times.get(withThem) ?? []).p50;
  const figures = `p50 ${ms(before)}, ${ms(after)}: ${ms(after - before)} more, × ${(after / before).toFixed(2)}`;
  add(`policies: ${what}, without and with`, figures, '3 ms more');
}
