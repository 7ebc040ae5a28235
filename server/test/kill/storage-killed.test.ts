/** @module-tag release */
/** Takes minutes because service and storage server are real processes, which are killed, and what is dropped lingers. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isServiceError } from '../../src/errors/service-error.ts';
import type { BlobBackend } from '../../src/storage/blob-backend.ts';
import { openDirectoryBackend } from '../../src/storage/directory-backend.ts';
import { openS3Backend } from '../../src/storage/s3-backend.ts';
import { call } from '../fixtures/call.ts';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import { ledgerEntry } from '../fixtures/ledger.ts';
import { openS3Lab, s3Bucket, s3Credentials, type S3Lab } from '../fixtures/s3-server.ts';
import { awaitRun, getRun, send } from '../fixtures/service-client.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import { requireInterrupted, limitOf, playRounds, rounds, type Round } from './rounds.ts';
import { expectWhole, isUnfinished, startSteps, type StepRun } from './step-run.ts';

const TOTAL = 4;
const SIZE = 150_000;
/** Value and projection of the bulk, and the output of the run. */
const LEFT_OF_A_RUN = 3;
/** Far fewer than there are: every step puts the value, its projection, and both as pending writes. */
const PUTS_OF_A_RUN = 6;
/** A stopped look, the lingering of what is dropped, and the next look, on a loaded machine. */
const COLLECT_LIMIT_MS = 60_000;
const OUTAGE_MS = 3_000;
/** Longer than a save waits, until the attempt is given up. */
const LOST_LIMIT_MS = 120_000;

let folder = '';
let dataDir = '';
let lab: S3Lab;
let bucket: BlobBackend;
let service: ServiceProcess;

beforeAll(async () => {
  Object.assign(process.env, s3Credentials);
  folder = await mkdtemp(join(tmpdir(), 'kill-storage-'));
  dataDir = await mkdtemp(join(tmpdir(), 'kill-storage-data-'));
  lab = await openS3Lab();
  const location = { bucket: s3Bucket, prefix: '', region: 'us-east-1', isPathStyle: true };
  bucket = openS3Backend({ ...location, endpoint: lab.url });
  service = await startOnBucket();
  await whenHealthy(service.url);
});

afterAll(async () => {
  await service.stop();
  bucket.close();
  await lab.close();
  await rm(folder, { recursive: true });
  await rm(dataDir, { recursive: true });
});

function startOnBucket(): Promise<ServiceProcess> {
  return startDurableService({
    dataDir,
    environment: {
      ...s3Credentials,
      SERVICE_ENGINE_EXTERNAL_STORAGE_TYPE: 's3',
      SERVICE_ENGINE_EXTERNAL_STORAGE_S3_BUCKET: s3Bucket,
      SERVICE_ENGINE_EXTERNAL_STORAGE_S3_ENDPOINT: lab.url,
      SERVICE_ENGINE_EXTERNAL_STORAGE_S3_PATH_STYLE: 'true',
    },
  });
}

function startBulk({ language, random }: Round, pauseMs = 20): Promise<StepRun> {
  const durability = random() < 0.5 ? 'sync' : 'async';
  return startSteps(service.url, {
    folder,
    language,
    total: TOTAL,
    pauseMs,
    durability,
    size: SIZE,
  });
}

/**
 * Resolves at one of the puts that come: before it, when it is done without a response, or just after. Returns whether it
 * is held, so that the run can't continue.
 */
function untilSomePut({ number, random }: Round): Promise<boolean> {
  const last = Math.floor(random() * PUTS_OF_A_RUN);
  const moment = (['before', 'after', 'acknowledged'] as const)[number % 3] ?? 'before';
  return new Promise((resolve) => {
    let puts = 0;
    lab.onRequest(async ({ method, path }, when) => {
      if (method !== 'PUT' || !path.includes('/threads/')) return;
      if (when === 'before') puts += 1;
      if (puts <= last || when !== (moment === 'before' ? 'before' : 'after')) return;
      lab.onRequest(undefined);
      if (moment === 'acknowledged') {
        setTimeout(() => resolve(false), random() * 60);
        return;
      }
      resolve(true);
      // The response never comes: its reader is killed.
      await new Promise(() => undefined);
    });
  });
}

/** Resolves when something of the run is about to be put. */
function untilPut({ threadId }: StepRun): Promise<void> {
  return new Promise((resolve) => {
    lab.onRequest(({ method, path }) => {
      if (method !== 'PUT' || !path.includes(threadId)) return;
      lab.onRequest(undefined);
      resolve();
    });
  });
}

/** Nothing is left of the runs but their heads, and nothing at all when their threads are deleted. */
async function expectNoOrphans(backend: BlobBackend, runs: readonly StepRun[]): Promise<void> {
  expect(runs).not.toEqual([]);
  for (const { threadId } of runs) {
    let count = 0;
    await waitUntil('orphans to be swept', COLLECT_LIMIT_MS, async () => {
      count = await countObjects(backend, threadId);
      return count <= LEFT_OF_A_RUN;
    });
    // Otherwise a count of another place would do.
    expect(count).toBeGreaterThan(0);
    await send(service.url, 'DELETE', `/threads/${threadId}`);
    await waitUntil('a deleted thread to leave nothing', COLLECT_LIMIT_MS, async () => {
      return (await countObjects(backend, threadId)) === 0;
    });
  }
}

/** The bucket's server responds with 500 to who lists while objects go: unknown then, and so more than any number. */
async function countObjects(backend: BlobBackend, threadId: string): Promise<number> {
  try {
    return (await backend.list(threadId)).length;
  } catch (error) {
    if (isServiceError(error) && error.code === 'storage_unavailable')
      return Number.POSITIVE_INFINITY;
    throw error;
  }
}

test(
  'a server killed before a blob, between blob and reference, and after loses nothing and leaves no orphan',
  async () => {
    const all: StepRun[] = [];
    await playRounds('server killed at a put', async (round) => {
      const run = await startBulk(round, 150);
      const isHeld = await untilSomePut(round);
      await service.kill();
      const isCutOff = isHeld || isUnfinished(run);
      service = await startOnBucket();
      const readyAt = performance.now();
      const final = await expectWhole(service.url, run);
      expect(['1 none', '2 INFRA']).toContain(
        `${final.attempt ?? 1} ${final.last_failure ?? 'none'}`,
      );
      const resumedAfterMs = performance.now() - readyAt;
      all.push(run);
      requireInterrupted(isCutOff || final.attempt === 2, 'the run had ended');
      return resumedAfterMs;
    });
    await expectNoOrphans(bucket, all);
  },
  2 * limitOf(),
);

test(
  'runs outlast a storage server that is killed and started again during saves',
  async () => {
    const all: StepRun[] = [];
    await playRounds('storage killed', async (round) => {
      const run = await startBulk(round, 200);
      const last = Math.floor(round.random() * TOTAL);
      await ledgerEntry(run.ledger, `step ${last}`, ({ step }) => step === last);
      await lab.kill();
      await untilPut(run);
      await pause(round.random() * OUTAGE_MS);
      expect(await getRun(service.url, run.runId)).toMatchObject({ status: 'running' });
      await lab.start();
      const startedAt = performance.now();
      const final = await expectWhole(service.url, run);
      expect(final).not.toHaveProperty('attempt');
      const resumedAfterMs = performance.now() - startedAt;
      all.push(run);
      return resumedAfterMs;
    });
    await expectNoOrphans(bucket, all);
  },
  2 * limitOf(),
);

test(
  'an outage that is longer than patience restarts the attempt, and meanwhile large requests are refused with a time to retry',
  async () => {
    const run = await startBulk({ number: 1, language: 'ts', random: () => 0 }, 500);
    await ledgerEntry(run.ledger, 'a step', ({ step }) => step === 1);
    await lab.kill();
    const input = { ledger: run.ledger, label: 'x'.repeat(SIZE) };
    const refused = await call(`${service.url}/runs`, 'POST', { agent_id: 'append_ts', input });
    expect(refused).toMatchObject({ status: 503, body: { code: 'storage_unavailable' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    await waitUntil('the attempt is given up', LOST_LIMIT_MS, async () => {
      return (await getRun(service.url, run.runId)).last_failure === 'INFRA';
    });
    await lab.start();
    const final = await awaitRun(service.url, run.runId, LOST_LIMIT_MS);
    expect(final).toMatchObject({ status: 'completed', last_failure: 'INFRA' });
    expect(final.output?.done).toEqual([0, 1, 2, 3]);
    await expectNoOrphans(bucket, [run]);
  },
  3 * LOST_LIMIT_MS,
);

test(
  'a server killed while it writes into a directory loses nothing and leaves neither orphan nor draft',
  async () => {
    const ownData = await mkdtemp(join(tmpdir(), 'kill-storage-directory-'));
    const start = (): Promise<ServiceProcess> =>
      startDurableService({
        dataDir: ownData,
        environment: { SERVICE_ENGINE_EXTERNAL_STORAGE_TYPE: 'directory' },
      });
    const onBucket = service;
    try {
      service = await start();
      await whenHealthy(service.url);
      const directory = await openDirectoryBackend(join(ownData, 'payloads'));
      const all: StepRun[] = [];
      await playRounds(
        'server killed beside a directory',
        async (round) => {
          const run = await startBulk(round, 60);
          const last = Math.floor(round.random() * (TOTAL - 1));
          await ledgerEntry(run.ledger, `step ${last}`, ({ step }) => step === last);
          await pause(round.random() * 60);
          await service.kill();
          const isCutOff = isUnfinished(run);
          service = await start();
          const readyAt = performance.now();
          const { attempt } = await expectWhole(service.url, run);
          const resumedAfterMs = performance.now() - readyAt;
          all.push(run);
          requireInterrupted(isCutOff || attempt === 2, 'the run had ended');
          return resumedAfterMs;
        },
        { count: Math.ceil(rounds / 2), first: 'ts' },
      );
      expect(all).not.toEqual([]);
      await expectNoOrphans(directory, all);
    } finally {
      await service.stop();
      service = onBucket;
      await rm(ownData, { recursive: true });
    }
  },
  2 * limitOf(),
);
