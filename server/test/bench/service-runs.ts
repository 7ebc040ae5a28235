import { randomUUID } from 'node:crypto';

import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { BenchClient } from './http-client.ts';
import { atOnce, oneAtATime, percentiles } from './measure.ts';
import { processorMs, residentMegabytes, serviceProcesses } from './processes.ts';
import { add, count, ms } from './report.ts';
import { untilHealthy } from './until-healthy.ts';

const LANES = 16;
/** Memory is read when the garbage of the start has been collected. */
const SETTLE_MS = 3_000;

/** A separate service: its start, its memory, and runs of both languages. */
export async function measureRuns(agents: string): Promise<void> {
  const begin = performance.now();
  const service = await startService({ agents, environment: { SERVICE_LOG_LEVEL: 'warn' } });
  await untilHealthy(service);
  add('start to healthy, warm', ms(performance.now() - begin), '4000 ms');
  const client = new BenchClient(service.url);
  try {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    for (const { pid, name } of serviceProcesses(service.pid)) {
      const target = { server: '200 MB', engine: '170 MB' }[name as string] ?? '';
      add(`idle memory: ${name}`, `${residentMegabytes(pid).toFixed(0)} MB`, target);
    }
    await measureAgent({ service, client }, 'noop_js', 'JS', '30 ms p50');
    await measureAgent({ service, client }, 'noop_py', 'Python', '40 ms p50');
  } finally {
    client.close();
    await service.stop();
  }
}

interface Measured {
  service: ServiceProcess;
  client: BenchClient;
}

async function measureAgent(
  { service, client }: Measured,
  agent: string,
  language: string,
  target: string,
): Promise<void> {
  const body = { agent_id: agent, input: { count: 0 }, stream_mode: ['values'] };
  const stateless = (): Promise<string> => client.send('POST', '/runs/wait', body);
  await atOnce(LANES, count(300), stateless);

  const single = await oneAtATime(count(200), stateless);
  add(
    `${language}: POST /runs/wait, one at a time`,
    `p50 ${ms(single.p50)}, p95 ${ms(single.p95)}`,
    target,
  );

  const threads = await Promise.all(
    Array.from({ length: LANES }, async () => {
      const id = randomUUID();
      await client.send('POST', '/threads', { thread_id: id });
      return id;
    }),
  );
  const onThread = (lane: number): Promise<string> => {
    return client.send('POST', `/threads/${threads[lane % LANES]}/runs?wait=60s`, body);
  };
  const existing = await oneAtATime(count(200), onThread);
  add(
    `${language}: run on existing threads, one at a time`,
    `p50 ${ms(existing.p50)}, p95 ${ms(existing.p95)}`,
  );

  const events: number[] = [];
  for (let index = 0; index < count(100); index++) {
    events.push((await client.stream('/runs/stream', body)).event);
  }
  const event = percentiles(events);
  add(
    `${language}: first SSE event after POST /runs/stream`,
    `p50 ${ms(event.p50)}, p95 ${ms(event.p95)}`,
    '20 ms',
  );

  await throughput(service, `${language}: stateless runs at ${LANES} at once`, '60 /s', stateless);
  await throughput(
    service,
    `${language}: existing threads at ${LANES} at once`,
    '100 /s',
    onThread,
  );
}

/** Runs per second, and what each run costs every process. */
async function throughput(
  service: ServiceProcess,
  what: string,
  target: string,
  call: (lane: number) => Promise<unknown>,
): Promise<void> {
  const runs = count(1_500);
  const processes = [...serviceProcesses(service.pid), { pid: process.pid, name: 'client' }];
  const before = processes.map(({ pid }) => processorMs(pid));
  const rate = await atOnce(LANES, runs, call);
  const costs = processes.map(({ pid, name }, index) => {
    return `${name} ${((processorMs(pid) - (before[index] ?? 0)) / runs).toFixed(1)}`;
  });
  add(what, `${rate.toFixed(0)} /s`, target);
  add('  processor ms per run', costs.join(', '));
}
