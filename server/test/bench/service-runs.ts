import { setTimeout as sleep } from 'node:timers/promises';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { BenchClient } from './http-client.ts';
import { atOnce, oneAtATime, percentiles } from './measure.ts';
import { processorMs, residentMegabytes, serviceProcesses } from './processes.ts';
import { add, count, ms, progress } from './report.ts';
import { LANES, ourCalls, type RunCalls } from './run-calls.ts';
import { untilHealthy } from './until-healthy.ts';

/** Memory is read when the garbage of the start has been collected. */
const SETTLE_MS = 3_000;
/** Memory after load is read when what the load left has been given back. */
const REST_MS = 60_000;

/** A separate service: its start, its memory, runs of both languages, and its memory a minute later. */
export async function measureRuns(agents: string): Promise<void> {
  const begin = performance.now();
  const service = await startService({ agents, environment: { SERVICE_LOG_LEVEL: 'warn' } });
  await untilHealthy(service);
  add('start to healthy, warm', ms(performance.now() - begin), '1200 ms');
  const client = new BenchClient(service.url);
  try {
    await sleep(SETTLE_MS);
    addMemory(service, 'idle memory', { server: '170 MB', engine: '150 MB' });
    for (const [agent, language] of [['noop_js', 'JS'] as const, ['noop_py', 'Python'] as const]) {
      const calls = await ourCalls(client, agent);
      await atOnce(LANES, count(300), () => calls.stateless());
      await measureLatency(calls, language);
      await measureThroughput(service, calls, language);
    }
    progress('resting for a minute');
    await sleep(REST_MS);
    addMemory(service, 'memory a minute after load', { server: '350 MB', engine: '300 MB' });
  } finally {
    client.close();
    await service.stop();
  }
}

function addMemory(
  { pid }: ServiceProcess,
  what: string,
  goals: Readonly<Record<string, string>>,
): void {
  for (const { pid: part, name } of serviceProcesses(pid)) {
    add(`${what}: ${name}`, `${residentMegabytes(part).toFixed(0)} MB`, goals[name]);
  }
}

async function measureLatency(calls: RunCalls, language: string): Promise<void> {
  const single = await oneAtATime(count(200), () => calls.stateless());
  const figure = (p50: number, p95: number): string => `p50 ${ms(p50)}, p95 ${ms(p95)}`;
  add(
    `${language}: POST /runs/wait, one at a time`,
    figure(single.p50, single.p95),
    `p50 ${ms(16)}`,
  );
  const existing = await oneAtATime(count(200), calls.onThread);
  add(`${language}: run on existing threads, one at a time`, figure(existing.p50, existing.p95));

  const streams = [];
  for (let index = 0; index < count(100); index++) streams.push(await calls.stream());
  const event = percentiles(streams.map((times) => times.event));
  const values = percentiles(streams.map((times) => times.values));
  const after = 'after POST /runs/stream';
  add(`${language}: first SSE event ${after}`, figure(event.p50, event.p95), `p50 ${ms(6)}`);
  add(`${language}: first values ${after}`, figure(values.p50, values.p95), `p50 ${ms(12)}`);
}

async function measureThroughput(
  service: ServiceProcess,
  calls: RunCalls,
  language: string,
): Promise<void> {
  const existing = `${language}: existing threads at ${LANES} at once`;
  await throughput(
    service,
    { what: `${language}: stateless runs at ${LANES} at once`, rate: '120 /s', cost: 15 },
    () => calls.stateless(),
  );
  await throughput(service, { what: existing, rate: '145 /s', cost: 12.5 }, calls.onThread);
}

/** Runs per second, and what each run costs every process. The goal is about the service's own processes together. */
async function throughput(
  service: ServiceProcess,
  goal: { what: string; rate: string; cost: number },
  call: (lane: number) => Promise<unknown>,
): Promise<void> {
  const runs = count(1_500);
  const processes = [...serviceProcesses(service.pid), { pid: process.pid, name: 'client' }];
  const before = processes.map(({ pid }) => processorMs(pid));
  const rate = await atOnce(LANES, runs, call);
  const costs = processes.map(({ pid, name }, index) => {
    return { name, cost: (processorMs(pid) - (before[index] ?? 0)) / runs };
  });
  add(goal.what, `${rate.toFixed(0)} /s`, goal.rate);
  const own = costs.filter(({ name }) => name !== 'client');
  const total = own.reduce((sum, { cost }) => sum + cost, 0);
  const parts = costs.map(({ name, cost }) => `${name} ${cost.toFixed(1)}`);
  add('  processor ms per run', `${total.toFixed(1)} (${parts.join(', ')})`, `${goal.cost} ms`);
}
