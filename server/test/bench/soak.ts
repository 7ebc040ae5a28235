import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startService } from '../fixtures/start-service.ts';
import { BenchClient } from './http-client.ts';
import { percentiles } from './measure.ts';
import { residentMegabytes, serviceProcesses } from './processes.ts';
import { add, progress } from './report.ts';
import { untilHealthy } from './until-healthy.ts';

const AGENTS = 20;
const DEFAULT_MINUTES = 60;
/** By then caches are full and code is compiled. Shorter soaks compare with a sixth of their time. */
const SETTLED_MINUTE = 10;
const RUNS_OF_A_THREAD = 12;
const SAMPLES_A_MINUTE = 12;

/** Within the checkout, where JavaScript agents find their packages. */
const folder = fileURLToPath(new URL('../../../.cache/bench/soak', import.meta.url));

/** Megabytes by process. */
type Memory = Readonly<Record<string, number>>;

/** Twenty agents at work, threads coming and going: memory must end where it was after ten minutes. */
export async function measureSoak(agents: string, python: string): Promise<void> {
  const minutes = minutesAsked();
  const names = await writeAgents(agents);
  const service = await startService({
    agents: folder,
    flags: ['--interpreter', python],
    environment: { SERVICE_LOG_LEVEL: 'warn' },
  });
  const client = new BenchClient(service.url);
  try {
    await untilHealthy(service);
    let runs = 0;
    const end = performance.now() + minutes * 60_000;
    const lanes = names.map(async (name) => {
      while (performance.now() < end) await lifeOfThread(client, name, () => (runs += 1));
    });
    const memory: Memory[] = [];
    for (let minute = 1; minute <= minutes; minute++) {
      memory.push(await memoryOfMinute(service.pid));
      progress(`minute ${minute} of ${minutes}: ${runs} runs, ${text(memory.at(-1) ?? {})}`);
    }
    await Promise.all(lanes);
    const settled =
      memory[Math.max(1, Math.min(SETTLED_MINUTE, Math.floor(minutes / 6))) - 1] ?? {};
    report(settled, memory.at(-1) ?? {}, { minutes, runs });
  } finally {
    client.close();
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A thread with some runs, then a stateless one and reads; then it is deleted. */
async function lifeOfThread(client: BenchClient, agent: string, onRun: () => void): Promise<void> {
  const id = randomUUID();
  const body = { agent_id: agent, input: { count: 0 } };
  await client.send('POST', '/threads', { thread_id: id });
  for (let run = 0; run < RUNS_OF_A_THREAD; run++) {
    await client.send('POST', `/threads/${id}/runs?wait=60s`, body);
    onRun();
  }
  await client.send('POST', '/runs/wait', body);
  onRun();
  await client.send('GET', `/threads/${id}/history`);
  await client.send('POST', '/threads/search', { limit: 10 });
  await client.send('DELETE', `/threads/${id}`);
}

/** Ten names of the agent that does nothing in each language. */
async function writeAgents(agents: string): Promise<string[]> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const file of ['noop.py', 'noop.ts']) await copyFile(join(agents, file), join(folder, file));
  const names = Array.from({ length: AGENTS }, (_, index) => `noop_${index}`);
  const graphs = names.map((name, index) => [
    name,
    `./noop.${index % 2 === 0 ? 'py' : 'ts'}:graph`,
  ]);
  await writeFile(
    join(folder, 'langgraph.json'),
    JSON.stringify({ graphs: Object.fromEntries(graphs) }),
  );
  return names;
}

/** The median of each process: single samples depend on when its garbage was collected last. */
async function memoryOfMinute(pid: number): Promise<Memory> {
  const samples: Record<string, number[]> = {};
  for (let index = 0; index < SAMPLES_A_MINUTE; index++) {
    await sleep(60_000 / SAMPLES_A_MINUTE);
    for (const { pid: part, name } of serviceProcesses(pid)) {
      (samples[name] ??= []).push(residentMegabytes(part));
    }
  }
  const medians = Object.entries(samples).map(([name, some]) => [name, percentiles(some).p50]);
  return Object.fromEntries(medians) as Memory; // made of the entries above
}

function report(before: Memory, after: Memory, work: { minutes: number; runs: number }): void {
  for (const [name, megabytes] of Object.entries(after)) {
    const ratio = (megabytes / (before[name] ?? NaN)).toFixed(2);
    const figures = `${before[name]?.toFixed(0)} and ${megabytes.toFixed(0)} MB, ratio ${ratio}`;
    const what = `soak of ${work.minutes} minutes, ${work.runs} runs: ${name}, settled and at the end`;
    add(what, figures, 'ratio 1.1');
  }
}

function text(memory: Memory): string {
  return Object.entries(memory)
    .map(([name, megabytes]) => `${name} ${megabytes.toFixed(0)} MB`)
    .join(', ');
}

function minutesAsked(): number {
  const at = process.argv.indexOf('--minutes');
  const minutes = at < 0 ? DEFAULT_MINUTES : Number(process.argv[at + 1]);
  if (Number.isInteger(minutes) && minutes > 0) return minutes;
  throw new Error('--minutes takes a whole number above zero.');
}
