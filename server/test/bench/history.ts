import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunHistory } from '../../src/history/open-history.ts';
import type { RunFilter } from '../../src/history/port.ts';
import { newRun, recordRun } from '../conformance/run-history.ts';
import type { ThreadId } from '../../src/model/ids.ts';
import { toJsonText } from '../../src/model/json.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { openTestHistory } from '../fixtures/test-history.ts';
import { BenchClient } from './http-client.ts';
import { atOnce, oneAtATime, percentiles } from './measure.ts';
import { processorMs, serviceProcesses } from './processes.ts';
import { add, count, ms, progress } from './report.ts';
import { LANES, ourCalls, type RunCalls } from './run-calls.ts';
import { measureStudio } from './studio.ts';
import { untilHealthy } from './until-healthy.ts';

/** Both take turns, so that what else the machine does meets both. */
const ROUNDS = 6;
/** Runs in the history that is searched. */
const MANY = 1_000_000;
const AT_ONCE = 5_000;
const WEEK_MS = 7 * 24 * 3_600_000;

/** What recording costs a run, and how long searches and the studio's list take with a history of a million runs. */
export async function measureHistory(agents: string): Promise<void> {
  await measureCost(agents);
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-history-'));
  try {
    await measureSearches(join(dataDir, 'history.db'));
    await measureStudio('runs', { agents, dataDir });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

interface Side {
  service: ServiceProcess;
  client: BenchClient;
  calls: RunCalls;
  cost: number[];
  latency: number[];
}

async function measureCost(agents: string): Promise<void> {
  for (const [agent, language] of [['noop_js', 'JS'] as const, ['noop_py', 'Python'] as const]) {
    const sides: Side[] = [];
    try {
      for (const provider of ['off', 'sqlite']) sides.push(await openSide(agents, agent, provider));
      for (let round = 1; round <= ROUNDS; round++) {
        for (const side of round % 2 === 0 ? sides : sides.toReversed()) await playRound(side);
      }
      const [off, on] = sides.map(({ cost, latency }) => ({
        cost: percentiles(cost).p50,
        latency: percentiles(latency).p50,
      }));
      if (!off || !on) throw new Error('There are two sides.');
      const shown = (one: number, other: number): string =>
        `${ms(one - other)} (${other.toFixed(2)} to ${one.toFixed(2)})`;
      add(
        `history: processor time of a stateless run, ${language}`,
        shown(on.cost, off.cost),
        '0.7 ms',
      );
      add(`history: POST /runs/wait, p50, ${language}`, shown(on.latency, off.latency), '1 ms');
    } finally {
      for (const { client, service } of sides) {
        client.close();
        await service.stop();
      }
    }
  }
}

async function openSide(agents: string, agent: string, provider: string): Promise<Side> {
  const environment = { SERVICE_LOG_LEVEL: 'warn', SERVICE_HISTORY_PROVIDER: provider };
  const service = await startService({ agents, environment });
  await untilHealthy(service);
  const client = new BenchClient(service.url);
  const calls = await ourCalls(client, agent);
  await atOnce(LANES, count(1_000), () => calls.stateless());
  return { service, client, calls, cost: [], latency: [] };
}

async function playRound({ service, calls, cost, latency }: Side): Promise<void> {
  const before = processorOf(service);
  const runs = count(1_000);
  await atOnce(LANES, runs, () => calls.stateless());
  cost.push((processorOf(service) - before) / runs);
  latency.push((await oneAtATime(count(200), () => calls.stateless())).p50);
}

function processorOf({ pid }: ServiceProcess): number {
  return serviceProcesses(pid).reduce((sum, part) => sum + processorMs(part.pid), 0);
}

async function measureSearches(path: string): Promise<void> {
  const history = openTestHistory(
    { database: { provider: 'sqlite', path }, maxBytes: 1e12 },
    { logger: { warn: (fields, message) => console.error(message, fields) } },
  );
  // The history's thread keeps no process alive.
  const alive = setInterval(() => undefined, 60_000);
  try {
    const begin = performance.now();
    await fill(history, count(MANY));
    const perRun = (performance.now() - begin) / count(MANY);
    const megabytes = (await stat(path)).size / 1e6;
    add('history: a run written, in its thread', `${perRun.toFixed(3)} ms`);
    add(`history: size with ${count(MANY)} runs`, `${megabytes.toFixed(0)} MB`);
    const now = Date.now();
    const searches: [string, RunFilter, string][] = [
      ['all', {}, '30 ms'],
      ['by status', { statuses: ['error'] }, '30 ms'],
      ['by agent', { agentIds: ['agent-3'] }, '30 ms'],
      ['by thread', { threadId: 'thread-77' as ThreadId }, '30 ms'],
      [
        'by agent, status and time',
        { agentIds: ['agent-0'], statuses: ['error'], createdAfter: now - 24 * 3_600_000 },
        '30 ms',
      ],
      ['by error code', { errorCode: 'agent_error' }, '30 ms'],
      ['of the slowest', { minDurationMs: 59_000 }, '30 ms'],
      ['by a rare word', { text: 'w123456' }, '150 ms'],
      ['by a frequent word', { text: 'invoice' }, '150 ms'],
      ['by two words', { text: 'invoice w12345' }, '150 ms'],
    ];
    for (const [what, filter, goal] of searches) {
      const { p50, p95 } = await oneAtATime(count(50), () =>
        history.reads.search({ limit: 50, ...filter }),
      );
      add(`history: search ${what}, limit 50`, `p50 ${ms(p50)}, p95 ${ms(p95)}`, goal);
    }
    const facets = await oneAtATime(count(20), () => history.reads.facets({}));
    add('history: facets', `p50 ${ms(facets.p50)}`);
    const window = { from: now - WEEK_MS, to: now, parts: 100 };
    const day = { ...window, from: now - WEEK_MS / 7 };
    for (const [what, query] of [['a day', day] as const, ['a week', window] as const]) {
      const stats = await oneAtATime(5, () => history.reads.stats(query));
      add(`history: figures of ${what}`, `p50 ${ms(stats.p50)}`);
    }
  } finally {
    clearInterval(alive);
    await history.close();
  }
}

/** Runs of five agents over a week. One of fifty fails; one of a hundred takes about a minute. */
async function fill(history: RunHistory, runs: number): Promise<void> {
  const now = Date.now();
  for (let index = 0; index < runs; index++) {
    const text = `invoice w${index} of customer ${index % 1_000}`;
    const run = newRun({
      threadId: `thread-${index % 50_000}` as ThreadId,
      agentId: `agent-${index % 5}`,
      createdAt: now - WEEK_MS + Math.floor((index / runs) * WEEK_MS),
      start: { kind: 'input', json: toJsonText({ question: text }) },
    });
    const failed = { error: { code: 'agent_error', message: 'The invoice is gone.' } };
    recordRun(history, run, index % 50 === 0 ? failed : { output: { answer: `done ${index}` } });
    if (index % AT_ONCE === 0) {
      await history.recorder.flush();
      if (index % 100_000 === 0) progress(`${index} of ${runs} runs`);
    }
  }
  await history.recorder.flush();
}
