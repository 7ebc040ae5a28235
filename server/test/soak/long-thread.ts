import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BenchClient } from '../bench/http-client.ts';
import { percentiles } from '../bench/measure.ts';
import { processorMs, residentMegabytes, serviceProcesses } from '../bench/processes.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { whenHealthy } from '../fixtures/durable-service.ts';

/** How many runs the first and the last figure are about. */
const SAMPLE = 100;
const SAMPLES = 10;

/** What the processes of the service take at some point. Whatever else the machine does shows less here than in times. */
export interface SoakSample {
  runs: number;
  p50: number;
  /** Resident megabytes. */
  memory: { server: number; engine: number };
  /** Processor time of a run, milliseconds, since the sample before. */
  processor: { server: number; engine: number };
}

/** What many runs on one thread cost. Times in milliseconds, memory in MB. */
export interface SoakFigures {
  first: { p50: number; p95: number };
  last: { p50: number; p95: number };
  samples: SoakSample[];
  restart: number;
  /** The thread with its state, just after the restart. */
  firstRead: number;
  /** What the agent has counted: each run once. */
  count: number;
}

export interface SoakOptions {
  agents: string;
  agent: string;
  runs: number;
  flags?: string[];
  environment?: Record<string, string>;
  onProgress?(line: string): void;
}

/** Runs an agent that only counts, many times on one thread, one after the other; then restarts the service. */
export async function soakThread(options: SoakOptions): Promise<SoakFigures> {
  const { agents, runs, flags = [], environment = {}, onProgress } = options;
  const dataDir = await mkdtemp(join(tmpdir(), 'soak-'));
  const start = (): Promise<ServiceProcess> =>
    startService({
      agents,
      dataDir,
      flags,
      environment: { SERVICE_LOG_LEVEL: 'warn', ...environment },
    });
  let service = await start();
  let client = new BenchClient(service.url);
  try {
    await whenHealthy(service.url);
    await client.send('POST', '/threads', { thread_id: 'long' });
    const times: number[] = [];
    const samples: SoakSample[] = [];
    let before = processorOf(service.pid);
    const step = Math.max(1, Math.floor(runs / SAMPLES));
    for (let run = 1; run <= runs; run += 1) {
      const begin = performance.now();
      const body = { agent_id: options.agent, input: run === 1 ? { count: 0 } : {} };
      await client.send('POST', '/threads/long/runs?wait=60s', body);
      times.push(performance.now() - begin);
      if (run % step !== 0) continue;
      const now = processorOf(service.pid);
      const sample: SoakSample = {
        runs: run,
        p50: percentiles(times.slice(-SAMPLE)).p50,
        memory: memoryOf(service.pid),
        processor: {
          server: (now.server - before.server) / step,
          engine: (now.engine - before.engine) / step,
        },
      };
      before = now;
      samples.push(sample);
      onProgress?.(JSON.stringify(sample, (_key, value: unknown) => rounded(value)));
    }
    client.close();
    await service.stop();

    service = await start();
    client = new BenchClient(service.url);
    const begin = performance.now();
    const thread = await client.send('GET', '/threads/long');
    const firstRead = performance.now() - begin;
    const { values } = JSON.parse(thread) as { values: { count: number } }; // as the agent keeps it
    return {
      // The very first runs meet a service that is warming up.
      first: percentiles(times.slice(0, SAMPLE)),
      last: percentiles(times.slice(-SAMPLE)),
      samples,
      restart: service.startedInMs,
      firstRead,
      count: values.count,
    };
  } finally {
    client.close();
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function memoryOf(serverPid: number): SoakSample['memory'] {
  return sumOf(serverPid, residentMegabytes);
}

function processorOf(serverPid: number): SoakSample['processor'] {
  return sumOf(serverPid, processorMs);
}

function sumOf(serverPid: number, read: (pid: number) => number): SoakSample['memory'] {
  const of = (wanted: string): number =>
    serviceProcesses(serverPid)
      .filter(({ name }) => name === wanted)
      .reduce((sum, { pid }) => sum + read(pid), 0);
  return { server: of('server'), engine: of('engine') };
}

function rounded(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 10) / 10 : value;
}
