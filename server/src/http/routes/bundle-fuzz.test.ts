/**
 * Bundles that are changed at random, against the whole way of an import: HTTP, checks, engine room, storage and the
 * notes of runs, over threads in memory. A failure names its seed; `judge(seed)` is all that it takes to see it again.
 * @module-tag seeds
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fuzzedLines } from '../../../test/fixtures/bundle-fuzz.ts';
import { call } from '../../../test/fixtures/call.ts';
import {
  bundleText,
  packedBundle,
  threadLines,
  type ForgedLine,
} from '../../../test/fixtures/forged-bundle.ts';
import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import { createMemoryBackend } from '../../../test/fixtures/memory-backend.ts';
import { firstSeed, isNight } from '../../../test/fixtures/seeds.ts';
import { createBundles } from '../../bundle/bundle-exchange.ts';
import { decodeBundle } from '../../bundle/read-bundle.ts';
import { toPart } from '../../bundle/thread-records.ts';
import { RunJournal } from '../../engine/worker/run-journal.ts';
import { unknownDisk } from '../../engine/disk/disk-port.ts';
import type { ThreadImport } from '../../engine/move/thread-import.ts';
import { errorTable } from '../../errors/codes.ts';
import { isServiceError } from '../../errors/service-error.ts';
import { jsonText } from '../../model/json.ts';
import { PayloadStorage } from '../../storage/payload-storage.ts';

const SEEDS = isNight ? 20_000 : 1_500;

/** Of what was accepted, each so manieth is exported and imported again. */
const AGAIN_EVERY = 10;

/** For whom runs continue in these tests, regardless of the file. */
const importer = { sub: 'importer' };

let folder: string;
let service: HttpService;
const principals = new Set<unknown>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bundle-fuzz-'));
  mkdirSync(join(folder, 'engine'));
  writeFileSync(join(folder, 'engine', 'engine.db'), 'the threads of everybody');
  const quiet = { warn: () => undefined, debug: () => undefined };
  const externalPayloads = new PayloadStorage({
    backend: createMemoryBackend(),
    thresholdBytes: 16,
    logger: quiet,
    payloadBytes: { observe: () => undefined },
  });
  service = await startHttpService(
    {},
    {
      externalPayloads,
      journal: new RunJournal(folder, 'fuzz'),
      bundlesOf: ({ engine, streams, output }) =>
        createBundles({
          room: { mover: engine.mover, disk: unknownDisk },
          streams,
          guests: { output },
          agentVersion: { current: async () => undefined },
          refusals: { inc: () => undefined },
        }),
    },
  );
  service.engine.onRun = (threadId, run) => {
    principals.add(run.principal['sub']);
    const end = { status: 'completed', output: jsonText('{}') } as const;
    setImmediate(() => service.engine.endRun(threadId, run.runUuid, end));
  };
});

afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

async function upload(path: string, file: Uint8Array<ArrayBuffer>): Promise<number> {
  const headers = { 'Content-Type': 'application/gzip' };
  const response = await fetch(service.url + path, { method: 'POST', headers, body: file });
  await response.text();
  return response.status;
}

/** As the command does it that continues runs. Returns the status that HTTP would have. */
async function resume(lines: readonly ForgedLine[]): Promise<number> {
  let thread: ThreadImport | undefined;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(bundleText(lines));
  }
  try {
    for await (const _ of decodeBundle(chunks(), 'it'));
    for await (const item of decodeBundle(chunks(), 'it')) {
      const part = item.kind === 'record' ? toPart(item.record) : undefined;
      if (part?.kind === 'thread') {
        thread = service.engine.mover.beginImport(part.thread, { resumeAs: importer });
      } else if (part) await thread?.add(part);
    }
    await thread?.finish();
    return thread ? 201 : 400;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return errorTable[error.code].status;
  } finally {
    thread?.abandon();
  }
}

/** Every way in which a thread is shown, and some in which it continues; returns the requests that failed. */
async function exercise(threadId: string, worst: number): Promise<string[]> {
  const thread = `/threads/${threadId}`;
  const compat = `/compat/langgraph${thread}`;
  const { body: runs } = await call(`${service.url}${thread}/runs`);
  const ids = (runs as { run_id: string }[]).map(({ run_id: id }) => id);
  const requests: [path: string, method?: string, body?: unknown][] = [
    [thread],
    [`${thread}/state`],
    [`${thread}/history`],
    [compat],
    [`${compat}/state`],
    [`${compat}/history`],
    [`${compat}/runs`],
    ...ids.slice(0, 5).map((id): [string] => [`/runs/${id}`]),
    [`${thread}/runs`, 'POST', { agent_id: 'echo', input: {} }],
    ...ids.slice(0, 2).map((id): [string, string, object] => [`/runs/${id}/cancel`, 'POST', {}]),
    [`${thread}/copy`, 'POST', {}],
  ];
  const failed: string[] = [];
  for (const [path, method = 'GET', body] of requests) {
    const { status } = await call(service.url + path, method, body);
    if (status > worst) failed.push(`${method} ${path} ${status}`);
  }
  return failed;
}

/** What the service has logged as its own failure. */
function failures(): unknown[] {
  return service.logged.filter(({ level }) => Number(level) >= 50);
}

async function lists(): Promise<number[]> {
  const native = await call(`${service.url}/threads/search`, 'POST', { limit: 1_000 });
  const compat = await call(`${service.url}/compat/langgraph/threads/search`, 'POST', {});
  return [native.status, compat.status];
}

/** Imports one file and uses what came of it. Answers whether anything did. */
async function judge(seed: number): Promise<boolean> {
  const lines = fuzzedLines(threadLines(`t${seed}`), seed);
  const isResumed = seed % 4 === 0;
  const status = isResumed ? await resume(lines) : await upload('/bundles', packedBundle(lines));
  expect([200, 201, 400, 409, 413], `seed ${seed}`).toContain(status);
  if (status !== 201) return false;
  const [{ thread_id: id } = {}] = lines.filter(({ kind }) => kind === 'thread');
  const threadId = String(id);
  const failed = await exercise(threadId, 499);
  expect({ failed, logged: failures() }, `seed ${seed}`).toEqual({ failed: [], logged: [] });
  expect(await lists(), `seed ${seed}`).toEqual([200, 200]);
  if (seed % AGAIN_EVERY === 0) {
    const file = await fetch(`${service.url}/threads/${threadId}/bundle`);
    const bytes = new Uint8Array(await file.arrayBuffer());
    expect([file.status, await upload('/bundles?thread_id=again', bytes)], `seed ${seed}`).toEqual([
      200, 201,
    ]);
    await call(`${service.url}/threads/again`, 'DELETE');
  }
  for (const one of (await searched()).map((thread) => thread.thread_id)) {
    await call(`${service.url}/threads/${one}`, 'DELETE');
  }
  return true;
}

async function searched(): Promise<{ thread_id: string }[]> {
  const { body } = await call(`${service.url}/threads/search`, 'POST', { limit: 1_000 });
  return body as { thread_id: string }[]; // every list of threads is one
}

async function judgeAll(first: number, count: number): Promise<number> {
  let accepted = 0;
  for (let seed = first; seed < first + count; seed += 1) if (await judge(seed)) accepted += 1;
  expect(readdirSync(folder, { recursive: true }).map(String).sort()).toEqual([
    'active-runs',
    'engine',
    join('engine', 'engine.db'),
  ]);
  expect([...principals].filter((sub) => sub === 'admin')).toEqual([]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  expect(failures()).toEqual([]);
  return accepted;
}

it('takes what is not changed, and shows it', async () => {
  expect(await upload('/bundles', packedBundle(threadLines('whole')))).toBe(201);
  expect(await exercise('whole', 399)).toEqual([]);
  await call(`${service.url}/threads/whole`, 'DELETE');
});

it('refuses or takes a file, seeds 1 to 100', async () => {
  expect(await judgeAll(1, 100)).toBeGreaterThan(5);
});

it(
  `does so whatever is changed, seeds ${firstSeed + 100} to ${firstSeed + 99 + SEEDS}`,
  { tags: 'release', timeout: 1_800_000 },
  async () => {
    expect(await judgeAll(firstSeed + 100, SEEDS)).toBeGreaterThan(SEEDS / 20);
  },
);
