import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readLedger, type LedgerEntry } from '../fixtures/ledger.ts';
import {
  awaitRun,
  createRun,
  createThread,
  getRun,
  listRuns,
  send,
  type RunResponse,
} from '../fixtures/service-client.ts';
import type { Language } from './rounds.ts';
import { ROUND_LIMIT_MS } from './rounds.ts';

/** A run of the agent `steps`, and where it notes what it does. */
export interface StepRun {
  runId: string;
  threadId: string;
  ledger: string;
  total: number;
  durability: 'sync' | 'async';
}

/** Three runs on one thread, each of which appends its label to the state. */
export interface RunQueue {
  threadId: string;
  runIds: string[];
  ledger: string;
}

const QUEUED = ['a', 'b', 'c'];

export interface StepRunOptions {
  folder: string;
  language: Language;
  total: number;
  pauseMs: number;
  durability: 'sync' | 'async';
  isStateless?: boolean;
  /** Every step writes a value of so many characters. */
  size?: number;
}

/** Starts a run of some steps, on a new thread unless it is stateless. */
export async function startSteps(url: string, options: StepRunOptions): Promise<StepRun> {
  const { language, total, pauseMs, durability, isStateless, size } = options;
  const ledger = join(options.folder, randomUUID());
  const body = {
    agent_id: size === undefined ? `steps_${language}` : `bulk_${language}`,
    durability,
    config: { recursion_limit: total + 10 },
    input: { ledger, total, pause_ms: pauseMs, ...(size !== undefined && { size }) },
  };
  const run = isStateless
    ? await send<RunResponse>(url, 'POST', '/runs', body)
    : await createRun(url, body);
  return { runId: run.run_id, threadId: run.thread_id, ledger, total, durability };
}

/** Queues three runs on a new thread. */
export async function startQueue(
  url: string,
  { folder, language, pauseMs }: Pick<StepRunOptions, 'folder' | 'language' | 'pauseMs'>,
): Promise<RunQueue> {
  const ledger = join(folder, randomUUID());
  const threadId = await createThread(url);
  const runIds: string[] = [];
  for (const label of QUEUED) {
    const input = { ledger, label, pause_ms: pauseMs };
    const run = await createRun(url, { agent_id: `append_${language}`, input }, threadId);
    runIds.push(run.run_id);
  }
  return { threadId, runIds, ledger };
}

/** Awaits the queue's end: every run has appended its label once, in order. */
export async function expectQueueDone(url: string, queue: RunQueue): Promise<void> {
  for (const runId of queue.runIds) {
    expect(await awaitRun(url, runId, ROUND_LIMIT_MS)).toMatchObject({ status: 'completed' });
  }
  const path = `/threads/${queue.threadId}/state`;
  const { values } = await send<{ values: RunResponse['output'] }>(url, 'GET', path);
  expect(values?.done).toEqual(QUEUED);
  const labels = readLedger(queue.ledger).map(({ label }) => label);
  expect(labels).toEqual(labels.toSorted());
}

/** Whether the run has more to do than it has begun. */
export function isUnfinished({ ledger, total }: StepRun): boolean {
  return readLedger(ledger).every(({ step }) => Number(step) < total - 1);
}

/**
 * Awaits the end of the run and checks all that holds whatever was killed: it completed, once, with the state of a run
 * that nothing happened to, and no step whose checkpoint was confirmed to the guest was done again.
 */
export async function expectWhole(url: string, run: StepRun): Promise<RunResponse> {
  const final = await awaitRun(url, run.runId, ROUND_LIMIT_MS);
  const done = Array.from({ length: run.total }, (_, step) => step);
  const { status, output, error } = final;
  expect({ status, done: output?.done, error }).toEqual({
    status: 'completed',
    done,
    error: undefined,
  });
  const { values } = await send<{ values: RunResponse['output'] }>(
    url,
    'GET',
    `/threads/${run.threadId}/state`,
  );
  expect(values?.done).toEqual(done);
  const steps = readLedger(run.ledger).map(({ step }) => Number(step));
  expect(new Set(steps)).toEqual(new Set(done));
  // A step begins when the guest got the confirmation that the one before is saved.
  if (run.durability === 'sync') expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  return final;
}

/** A final run, to be compared later with what became of it. */
export interface SettledRun {
  run: StepRun;
  final: RunResponse;
  entries: LedgerEntry[];
}

/** Remembers a final run. */
export function settled(run: StepRun, final: RunResponse): SettledRun {
  return { run, final, entries: readLedger(run.ledger) };
}

/** What is final stays final: no status changed, no step was done after the end, no run was doubled. */
export async function expectStillSettled(url: string, all: readonly SettledRun[]): Promise<void> {
  expect(all).not.toEqual([]);
  for (const { run, final, entries } of all) {
    expect(await getRun(url, run.runId)).toEqual(final);
    expect(readLedger(run.ledger)).toEqual(entries);
    expect(await listRuns(url, run.threadId)).toEqual([final]);
  }
}
