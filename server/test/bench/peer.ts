import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../fixtures/start-service.ts';
import { BenchClient } from './http-client.ts';
import { atOnce, oneAtATime, percentiles } from './measure.ts';
import { preparePeer, startPeer } from './peer-server.ts';
import { processorMs, residentMegabytes, serviceProcesses, withDescendants } from './processes.ts';
import { add, count, progress } from './report.ts';
import { LANES, langGraphCalls, ourCalls, type RunCalls } from './run-calls.ts';
import { untilHealthy } from './until-healthy.ts';

/** Both sides take turns, so that what else the machine does meets both. */
const ROUNDS = 5;
/** Memory is read when the garbage of the start has been collected. */
const SETTLE_MS = 5_000;

/** One of the servers that are compared. */
interface Side {
  readonly name: string;
  readonly calls: RunCalls;
  /** Of all that takes part in a run here. */
  processes(): number[];
}

type Figures = Record<keyof typeof rows, number>;

const rows = {
  stateless: { what: `stateless runs at ${LANES} at once`, unit: '/s', goal: 'at least 1.1 x' },
  existing: { what: `existing threads at ${LANES} at once`, unit: '/s', goal: '' },
  statelessCost: { what: '  processor time of a stateless run', unit: 'ms', goal: '' },
  existingCost: { what: '  processor time of a run on a thread', unit: 'ms', goal: '' },
  single: { what: 'POST /runs/wait, one at a time, p50', unit: 'ms', goal: '' },
  event: { what: 'first SSE event, p50', unit: 'ms', goal: '' },
  values: { what: 'first values, p50', unit: 'ms', goal: '' },
} as const;

/** This service beside LangGraph's own development server, in the same minutes, with the same agent and client. */
export async function measurePeer(agents: string): Promise<void> {
  let peer;
  try {
    peer = preparePeer();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return add('peer: every figure of it', `MISSING: it cannot be installed: ${reason}`);
  }
  add('peer: LangGraph’s development server', peer.versions);
  const theirs = await startPeer(agents, peer.python);
  const flags = ['--interpreter', peer.python];
  const environment = { SERVICE_LOG_LEVEL: 'warn' };
  const ours = await startService({ agents, flags, environment });
  const [ourClient, theirClient] = [new BenchClient(ours.url), new BenchClient(theirs.url)];
  const ourProcesses = (guest: string): number[] => {
    const part = serviceProcesses(ours.pid).filter(
      ({ name }) => !name.endsWith('guest') || name === `${guest} guest`,
    );
    return part.map(({ pid }) => pid);
  };
  try {
    await untilHealthy(ours);
    const js = await ourCalls(ourClient, 'noop_js');
    const python = await ourCalls(ourClient, 'noop_py');
    const sides: Side[] = [
      { name: 'Python', calls: python, processes: () => ourProcesses('python') },
      {
        name: 'LangGraph',
        calls: await langGraphCalls(theirClient, 'noop_py'),
        processes: () => withDescendants(theirs.pid),
      },
      { name: 'JS', calls: js, processes: () => ourProcesses('javascript') },
    ];
    await sleep(SETTLE_MS);
    reportMemory(sides);
    for (const { calls } of sides) await atOnce(LANES, count(500, 100), calls.onThread);
    for (const { calls } of sides) await atOnce(LANES, count(500, 100), () => calls.stateless());
    report(sides, await rounds(sides));
  } finally {
    ourClient.close();
    theirClient.close();
    await Promise.all([ours.stop(), theirs.stop()]);
  }
}

/** Each round begins with another side. */
async function rounds(sides: readonly Side[]): Promise<Figures[][]> {
  const measured: Figures[][] = sides.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (let turn = 0; turn < sides.length; turn++) {
      const at = (round + turn) % sides.length;
      const side = sides[at];
      if (side === undefined) continue;
      const figures = await measureSide(side);
      measured[at]?.push(figures);
      const text = Object.values(figures).map((value) => value.toFixed(1));
      progress(`round ${round + 1} of ${ROUNDS}, ${side.name}: ${text.join(' ')}`);
    }
  }
  return measured;
}

async function measureSide({ calls, processes }: Side): Promise<Figures> {
  const stateless = await throughput(processes(), () => calls.stateless());
  const existing = await throughput(processes(), calls.onThread);
  // Few: one at a time its queue is found empty (peer-server.ts), and each of these takes it a second.
  const single = await oneAtATime(count(20, 5), () => calls.stateless());
  const events = [];
  for (let index = 0; index < count(20, 5); index++) events.push(await calls.stream());
  return {
    stateless: stateless.rate,
    existing: existing.rate,
    statelessCost: stateless.cost,
    existingCost: existing.cost,
    single: single.p50,
    event: percentiles(events.map(({ event }) => event)).p50,
    values: percentiles(events.map(({ values }) => values)).p50,
  };
}

async function throughput(
  pids: readonly number[],
  call: (lane: number) => Promise<unknown>,
): Promise<{ rate: number; cost: number }> {
  const runs = count(500, 100);
  const spent = (): number => pids.reduce((sum, pid) => sum + processorMs(pid), 0);
  const before = spent();
  const rate = await atOnce(LANES, runs, call);
  return { rate, cost: (spent() - before) / runs };
}

/** The median of the rounds, and of the ratios within a round. */
function report(sides: readonly Side[], measured: readonly Figures[][]): void {
  const theirs = measured[sides.findIndex(({ name }) => name === 'LangGraph')] ?? [];
  for (const [key, { what, unit, goal }] of Object.entries(rows)) {
    const name = key as keyof Figures; // the keys of `rows`
    const of = (figures: readonly Figures[]): number[] => figures.map((one) => one[name]);
    const texts = sides.map((side, at) => {
      const figures = measured[at] ?? [];
      const middle = `${side.name} ${percentiles(of(figures)).p50.toFixed(1)} ${unit}`;
      if (figures === theirs) return middle;
      const ratios = figures.map((one, round) => one[name] / (theirs[round]?.[name] ?? NaN));
      return `${middle} (${percentiles(ratios).p50.toFixed(2)} x)`;
    });
    add(`peer: ${what}`, texts.join(', '), goal);
  }
}

function reportMemory(sides: readonly Side[]): void {
  const texts = sides.map(({ name, processes }) => {
    const megabytes = processes().reduce((sum, pid) => sum + residentMegabytes(pid), 0);
    return `${name} ${megabytes.toFixed(0)} MB`;
  });
  add('peer: idle memory, all processes', texts.join(', '));
}
