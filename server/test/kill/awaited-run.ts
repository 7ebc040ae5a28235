import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { call } from '../fixtures/call.ts';
import { readSse } from '../fixtures/read-sse.ts';
import { createThread, type RunResponse } from '../fixtures/service-client.ts';
import { recordOf } from '../fixtures/wire-patterns.ts';
import { ROUND_LIMIT_MS, type Language, type Round } from './rounds.ts';
import type { StepRun } from './step-run.ts';

/** The requests whose run may begin within the workflow task that accepts it. */
const WAYS = ['thread', 'stateless', 'stream'] as const;

type Way = (typeof WAYS)[number];

/** Shorter and longer than a run may take within a workflow task. */
const MOST_STEPS = 4;
const LONGEST_STEP_MS = 100;

/** A run of the agent `steps` whose client waits for its end, and may send the same request again. */
export interface AwaitedRun extends Omit<StepRun, 'runId' | 'threadId'> {
  way: Way;
  /** The run in the response; undefined: there was none, or the engine was unavailable. */
  send(url: string): Promise<RunResponse | undefined>;
}

/** Prepares one for each way and language. */
export function prepareRuns(url: string, folder: string, { random }: Round): Promise<AwaitedRun[]> {
  const each = WAYS.flatMap((way) => [
    { way, language: 'py' as const },
    { way, language: 'ts' as const },
  ]);
  return Promise.all(each.map((one) => prepareRun(url, folder, { ...one, random })));
}

async function prepareRun(
  url: string,
  folder: string,
  { way, language, random }: { way: Way; language: Language; random(): number },
): Promise<AwaitedRun> {
  const total = 1 + Math.floor(random() * MOST_STEPS);
  const pauseMs = Math.floor(random() * LONGEST_STEP_MS);
  const durability = random() < 0.7 ? 'async' : 'exit';
  const ledger = join(folder, randomUUID());
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
  const body = {
    agent_id: `steps_${language}`,
    durability,
    input: { ledger, total, pause_ms: pauseMs },
  };
  const path = way === 'thread' ? `/threads/${await createThread(url)}/runs` : '/runs/wait';
  return {
    way,
    ledger,
    total,
    durability: 'async',
    send: (at) =>
      way === 'stream'
        ? streamed(`${at}/runs/stream`, { method: 'POST', headers, body: JSON.stringify(body) })
        : waited(`${at}${path}?wait=60s`, body, headers),
  };
}

async function waited(
  url: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<RunResponse | undefined> {
  const response = await call(url, 'POST', body, headers).catch(isCutOff);
  if (response === undefined || response.status === 503) return undefined;
  const run = response.body as RunResponse; // the contract
  if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(run)}`);
  return recordOf(run);
}

async function streamed(url: string, init: RequestInit): Promise<RunResponse | undefined> {
  const read = await readSse(url, { ...init, timeoutMs: ROUND_LIMIT_MS }).catch(isCutOff);
  if (read === undefined || read.status === 503) return undefined;
  if (read.status !== 200) throw new Error(`${read.status} in response to a stream`);
  const { event, data } = read.events.at(-1) ?? {};
  // Spec: Events, `done`. `{}` when the run cannot be read.
  const run = data as Partial<RunResponse>;
  return event === 'done' && run.run_id !== undefined ? recordOf(run as RunResponse) : undefined;
}

/** The connection was refused, or ended before the response did; everything else is an error. */
function isCutOff(error: unknown): undefined {
  if (error instanceof TypeError) return undefined; // so `fetch` reports it
  throw error;
}
