import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BenchClient } from '../bench/http-client.ts';
import { percentiles } from '../bench/measure.ts';
import { residentMegabytes, serviceProcesses } from '../bench/processes.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { whenHealthy } from '../fixtures/durable-service.ts';

/** How many runs the first and the last figure are about. */
const SAMPLE = 100;
const MEMORY_SAMPLES = 10;

/** What many runs on one thread cost. Times in milliseconds, memory in MB. */
export interface SoakFigures {
  first: { p50: number; p95: number };
  last: { p50: number; p95: number };
  memory: { runs: number; server: number; engine: number }[];
  restart: number;
  /** The thread with its state, just after the restart. */
  firstRead: number;
  /** Attempts of the runs, summed: as many as there were runs unless one was restarted. */
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
    const memory: SoakFigures['memory'] = [];
    const step = Math.max(1, Math.floor(runs / MEMORY_SAMPLES));
    for (let run = 1; run <= runs; run += 1) {
      const begin = performance.now();
      const body = { agent_id: options.agent, input: run === 1 ? { count: 0 } : {} };
      await client.send('POST', '/threads/long/runs?wait=60s', body);
      times.push(performance.now() - begin);
      if (run % step !== 0) continue;
      memory.push({ runs: run, ...memoryOf(service.pid) });
      const { p50 } = percentiles(times.slice(-SAMPLE));
      const { server, engine } = memoryOf(service.pid);
      onProgress?.(
        `${run} runs: p50 ${p50.toFixed(1)} ms, server ${server.toFixed(0)} MB, engine ${engine.toFixed(0)} MB`,
      );
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
      memory,
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

function memoryOf(serverPid: number): { server: number; engine: number } {
  const of = (wanted: string): number =>
    serviceProcesses(serverPid)
      .filter(({ name }) => name === wanted)
      .reduce((sum, { pid }) => sum + residentMegabytes(pid), 0);
  return { server: of('server'), engine: of('engine') };
}
