import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BenchClient } from '../bench/http-client.ts';
import { percentiles } from '../bench/measure.ts';
import { processorMs, residentMegabytes, serviceProcesses } from '../bench/processes.ts';
import { guestHeapsInUse, heapInUse, inspectable } from '../fixtures/heap-in-use.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { whenHealthy } from '../fixtures/durable-service.ts';

/** How many runs the first and the last figure are about. */
const SAMPLE = 100;
const SAMPLES = 10;

const PARTS = ['server', 'engine', 'guest'] as const;

/** What the processes of the service take at some point. Whatever else the machine does shows less here than in times. */
export interface SoakSample {
  runs: number;
  p50: number;
  /** Resident megabytes. */
  memory: OfProcesses;
  /** Processor time of a run, milliseconds, since the sample before. */
  processor: OfProcesses;
  /** Bytes after a collection of garbage, if they are measured; a Python guest has no such heap. */
  heap?: { server: number; guest: number };
}

/** A figure of each process; guests of both languages are one. */
export type OfProcesses = Record<(typeof PARTS)[number], number>;

/** What many runs on one thread cost. Times in milliseconds, memory in MB. */
export interface SoakFigures {
  first: { p50: number; p95: number };
  last: { p50: number; p95: number };
  samples: SoakSample[];
  restart: number;
  /** The thread with its state, just after the restart: when the address is printed. */
  firstRead: number;
  /** The same after another restart, once the service is healthy. */
  coldRead: number;
  /** The thread's state after the restart. */
  values: Record<string, unknown>;
}

export interface SoakOptions {
  agents: string;
  agent: string;
  runs: number;
  /** The input of a run, by its number from 1 on. */
  input(run: number): unknown;
  flags?: string[];
  environment?: Record<string, string>;
  /** Has garbage collected at every sample. */
  measuresHeaps?: boolean;
  onProgress?(line: string): void;
}

/**
 * Runs an agent many times on one thread, one after the other; then restarts the service. A run that does not complete
 * is an error that names it.
 */
export async function soakThread(options: SoakOptions): Promise<SoakFigures> {
  const { agents, agent, runs, flags = [], measuresHeaps = false, onProgress } = options;
  const environment = {
    SERVICE_LOG_LEVEL: 'warn',
    ...options.environment,
    ...(measuresHeaps && { ...inspectable, SERVICE_LOG_LEVEL: 'info' }),
  };
  const dataDir = await mkdtemp(join(tmpdir(), 'soak-'));
  const start = (): Promise<ServiceProcess> =>
    startService({ agents, dataDir, flags, environment });
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
      const body = { agent_id: agent, input: options.input(run) };
      const text = await client.send('POST', '/threads/long/runs?wait=60s', body);
      times.push(performance.now() - begin);
      checkCompleted(text, run);
      if (run % step !== 0) continue;
      const now = processorOf(service.pid);
      const sample: SoakSample = {
        runs: run,
        p50: percentiles(times.slice(-SAMPLE)).p50,
        memory: memoryOf(service.pid),
        processor: ofParts((part) => (now[part] - before[part]) / step),
      };
      if (measuresHeaps) sample.heap = await heapsOf(service);
      before = processorOf(service.pid);
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
    client.close();
    await service.stop();

    service = await start();
    client = new BenchClient(service.url);
    await whenHealthy(service.url);
    const beginCold = performance.now();
    await client.send('GET', '/threads/long');
    const coldRead = performance.now() - beginCold;
    const { values } = JSON.parse(thread) as Pick<SoakFigures, 'values'>; // as the contract defines
    return {
      // The very first runs meet a service that is warming up.
      first: percentiles(times.slice(0, SAMPLE)),
      last: percentiles(times.slice(-SAMPLE)),
      samples,
      restart: service.startedInMs,
      firstRead,
      coldRead,
      values,
    };
  } finally {
    client.close();
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function checkCompleted(text: string, run: number): void {
  const { status, error } = JSON.parse(text) as { status: string; error?: unknown }; // as the contract defines
  if (status !== 'completed') throw new Error(`Run ${run}: ${status} ${JSON.stringify(error)}`);
}

async function heapsOf(service: ServiceProcess): Promise<{ server: number; guest: number }> {
  const output = service.output();
  return { server: await heapInUse(output), guest: await guestHeapsInUse(output) };
}

function memoryOf(serverPid: number): OfProcesses {
  return sumOf(serverPid, residentMegabytes);
}

function processorOf(serverPid: number): OfProcesses {
  return sumOf(serverPid, processorMs);
}

function sumOf(serverPid: number, read: (pid: number) => number): OfProcesses {
  const processes = serviceProcesses(serverPid);
  return ofParts((part) =>
    processes
      .filter(({ name }) => name.endsWith(part))
      .reduce((sum, { pid }) => sum + read(pid), 0),
  );
}

function ofParts(figure: (part: keyof OfProcesses) => number): OfProcesses {
  return { server: figure('server'), engine: figure('engine'), guest: figure('guest') };
}

function rounded(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 10) / 10 : value;
}
