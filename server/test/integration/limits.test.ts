/**
 * Ceilings that are set, and those around runs. Separate services: the ceiling is a setting, and a thread keeps its
 * own over restarts with another one.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveLimits } from '../../src/model/limits/limits.ts';
import { call } from '../fixtures/call.ts';
import { aRefusal, ceilings, endBelow, goAbove } from '../fixtures/ceilings.ts';
import {
  readCounters,
  readValues,
  runToEnd,
  startLimitsService,
} from '../fixtures/limits-service.ts';
import { createThread, send } from '../fixtures/service-client.ts';
import { releaseUnless } from '../fixtures/shared-service.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';

const KIB = 1_024;

/** The warnings of the SDK (by its code) and the engine about a large payload. */
const ofSizes = /TMPRL1103|exceed\w* (the )?(\w+ )?limit/i;

let dataDir = '';
let service: ServiceProcess | undefined;

/** Starts the service on the data of the one before, with this ceiling for new threads. */
async function serve(maxCheckpointBytes: string): Promise<void> {
  await service?.stop();
  const environment = { SERVICE_ENGINE_MAX_CHECKPOINT_BYTES: maxCheckpointBytes };
  service = await startLimitsService({ dataDir, environment });
}

function url(): string {
  if (service === undefined) throw new Error('no service');
  return service.url;
}

/** How a run ends that writes so many characters: its status, or the code of its error. */
async function endOf(size: number, threadId: string): Promise<string | undefined> {
  const run = await runToEnd(url(), { agent_id: 'heap_ts', input: { size_a: size } }, threadId);
  return run.status === 'error' ? run.error?.code : run.status;
}

async function openFolder(): Promise<void> {
  dataDir = await mkdtemp(join(tmpdir(), 'limits-'));
}

async function close(): Promise<void> {
  await service?.stop();
  service = undefined;
  await rm(dataDir, { recursive: true, force: true });
}

describe('a ceiling that was raised', () => {
  const limits = deriveLimits({ maxCheckpointBytes: 2_048 * KIB });
  let low = '';

  beforeAll(async () => {
    await openFolder();
    await serve('64KiB');
    low = await createThread(url());
    await endOf(32 * KIB, low);
    await serve('2Mi');
  });
  afterAll(close);

  // Spec: Limits, `engine.max_checkpoint_bytes`: pinned into a thread at creation.
  it('holds for new threads; a thread keeps to the one that it was created with', async () => {
    expect(await endOf(128 * KIB, low)).toBe('checkpoint_too_large');
    expect(await endOf(32 * KIB, low)).toBe('completed');
    expect(await endOf(128 * KIB, await createThread(url()))).toBe('completed');
  });

  /** Something that goes with the run and into no checkpoint. */
  const withConfig = (characters: number): Record<string, unknown> => ({
    agent_id: 'heap_ts',
    input: {},
    config: { configurable: { bulk: ['x'.repeat(characters)] } },
  });

  it('a run input: works just below, and above it there is no run', async () => {
    const threadId = await createThread(url());
    const run = await runToEnd(url(), withConfig(limits.runInput - 2 * KIB), threadId);
    expect(run.status).toBe('completed');

    for (const path of [`/threads/${threadId}/runs`, '/runs/wait']) {
      const refused = await call(url() + path, 'POST', withConfig(limits.runInput));
      expect([refused.status, refused.body]).toMatchObject([
        413,
        {
          code: 'payload_too_large',
          metadata: { limit: limits.runInput, limit_name: 'run_input' },
        },
      ]);
    }
    expect(await send<unknown[]>(url(), 'GET', `/threads/${threadId}/runs`)).toHaveLength(1);
    expect(await readCounters(url(), 'service_size_limit_rejections_total')).toMatchObject({
      'limit="run_input",operation="create_run"': 2,
    });
  });

  describe.each(['py', 'ts'])('%s', (language) => {
    it(
      'a run output: works just below, and above ends the run',
      releaseUnless(language === 'py'),
      async () => {
        const body = (size: number): Record<string, unknown> => ({
          agent_id: `heap_${language}`,
          input: { size_a: size },
        });
        expect(await runToEnd(url(), body(limits.runOutput - KIB))).toMatchObject({
          status: 'completed',
        });
        const threadId = await createThread(url());
        expect(await runToEnd(url(), body(limits.runOutput), threadId)).toMatchObject({
          status: 'error',
          error: {
            code: 'payload_too_large',
            message: expect.stringContaining('output') as string,
          },
        });
        expect(Object.keys(await readValues(url(), threadId))).toContain('a');
      },
    );

    it('what no payload of the engine takes with its JSON', { tags: 'release' }, async () => {
      const body = (size: number): Record<string, unknown> => ({
        agent_id: `heap_${language}`,
        input: { alphabet: 'random', size_a: size },
      });
      expect(await runToEnd(url(), body(900_000))).toMatchObject({ status: 'completed' });
      const threadId = await createThread(url());
      const { status, error } = await runToEnd(url(), body(1_800_000), threadId);
      expect([status, error?.code]).toEqual(['error', 'checkpoint_too_large']);
      expect(error?.message).toMatch(/bytes in the engine, its JSON included; one payload takes/);
      expect(error?.message).toContain('"a" with');
      const next = { agent_id: `heap_${language}`, input: { size_a: 2, size_b: 2 } };
      expect(await runToEnd(url(), next, threadId)).toMatchObject({ status: 'completed' });
    });
  });

  it('metadata of a run', async () => {
    const body = (size: number): Record<string, unknown> => ({
      agent_id: 'heap_ts',
      input: {},
      metadata: { note: 'x'.repeat(size) },
    });
    const run = await runToEnd(url(), body(limits.runMetadata - 100));
    expect(run.status).toBe('completed');
    const refused = await call(`${url()}/runs/wait`, 'POST', body(limits.runMetadata));
    expect([refused.status, refused.body]).toMatchObject([413, { code: 'payload_too_large' }]);
  });

  it('metadata of a thread, also once it is merged', async () => {
    const threadId = await createThread(url());
    const patch = (key: string, size: number): ReturnType<typeof call> =>
      call(`${url()}/threads/${threadId}`, 'PATCH', {
        metadata: { [key]: 'x'.repeat(size) },
      });
    expect((await patch('a', 3_000_000)).body).toMatchObject({ code: 'payload_too_large' });
    expect((await patch('a', 40_000)).status).toBe(200);
    expect((await patch('b', 40_000)).body).toMatchObject({ code: 'payload_too_large' });
    expect((await patch('b', 20_000)).status).toBe(200);
    const created = await call(`${url()}/threads`, 'POST', {
      metadata: { a: 'x'.repeat(limits.threadMetadata) },
    });
    expect([created.status, created.body]).toMatchObject([413, { code: 'payload_too_large' }]);
    expect(await readCounters(url(), 'service_size_limit_rejections_total')).toMatchObject({
      'limit="thread_metadata",operation="patch_thread"': 2,
      'limit="thread_metadata",operation="create_thread"': 1,
    });
  });

  it('payloads that are allowed are no matter for a warning', async () => {
    // What the engine gets is compressed: this stays as large as it is.
    const bulk = randomBytes(1_125_000).toString('base64');
    const config = { configurable: { bulk: [bulk] } };
    const run = await runToEnd(url(), { agent_id: 'heap_ts', input: {}, config });
    expect(run.status).toBe('completed');
    // Of sizes alone: a busy machine has the engine warn of tasks that took long.
    const lines = (service?.output() ?? '').split('\n');
    expect(lines.filter((line) => ofSizes.test(line))).toEqual([]);
  });
});

describe('a ceiling that was lowered', { tags: 'release' }, () => {
  const m = 64 * KIB;
  let high = '';

  beforeAll(async () => {
    await openFolder();
    await serve('256KiB');
    high = await createThread(url());
    await serve('64KiB');
  });
  afterAll(close);

  it('holds for new threads; a thread keeps to the one that it was created with', async () => {
    expect(await endOf(128 * KIB, high)).toBe('completed');
    expect(await endOf(128 * KIB, await createThread(url()))).toBe('checkpoint_too_large');
  });

  describe.each(['py', 'ts'])('%s', (language) => {
    it.each(ceilings)('$name: works just below', async (ceiling) => {
      const end = await endBelow(ceiling, { url: url(), language, m });
      expect(end).toEqual(['completed', undefined]);
    });

    it.each(ceilings)('$name: refused just above', async (ceiling) => {
      const seen = await goAbove(ceiling, { url: url(), language, m });
      expect(seen).toMatchObject(aRefusal(ceiling, m));
    });
  });
});
