/**
 * Mounts a disk for the data directory; the service is a real one because its engine runs into the end of that disk.
 * @module-tag release
 */
import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../fixtures/call.ts';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import { awaitRun, createRun, createThread, getRun, send } from '../fixtures/service-client.ts';
import { mountSmallDisk } from '../fixtures/small-disk.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';

/** An immediate response takes less; a request that the engine tries again takes 10 s. */
const AT_ONCE_MS = 5_000;

const disk = mountSmallDisk(128);

describe.skipIf(disk === undefined)('a data directory whose disk is full', () => {
  const folder = mkdtempSync(join(tmpdir(), 'data-disk-full-'));
  const dataDir = join(disk?.folder ?? '', 'data');
  let service: ServiceProcess;
  let url = '';
  let read = '';
  let spare = '';
  let active = '';

  const steps = (total: number, pauseMs: number, label: string) => ({
    agent_id: 'steps_ts',
    input: { ledger: join(folder, 'ledger'), total, pause_ms: pauseMs, label },
  });

  async function serve(): Promise<void> {
    service = await startDurableService({ dataDir });
    url = service.url;
  }

  async function atOnce(method: string, path: string, body?: unknown) {
    const begin = performance.now();
    const response = await call(url + path, method, body);
    const isAtOnce = performance.now() - begin < AT_ONCE_MS;
    return { status: response.status, code: (response.body as { code?: string }).code, isAtOnce };
  }

  const refused = { status: 507, code: 'storage_full', isAtOnce: true };
  const served = { status: 200, code: undefined, isAtOnce: true };

  beforeAll(async () => {
    await serve();
    await whenHealthy(url);
    read = await createThread(url);
    spare = await createThread(url);
    await awaitRun(url, (await createRun(url, steps(2, 0, 'before'), read)).run_id);
    active = (await createRun(url, steps(6, 500, 'active'))).run_id;
    disk?.fill();
  });

  afterAll(async () => {
    await service.stop();
    disk?.unmount();
    rmSync(folder, { recursive: true });
  });

  test('is failing at once, with a sentence on what to do', async () => {
    expect(await atOnce('GET', '/health')).toMatchObject({ status: 503, isAtOnce: true });
    const health = await send<{ components: object }>(url, 'GET', '/ready', undefined, [503]);
    expect(health.components).toMatchObject({
      disk: {
        status: 'failing',
        message: expect.stringContaining(`Free space on the disk of ${dataDir}`) as string,
      },
    });
  });

  test.each([
    ['POST', () => '/threads', {}],
    ['PATCH', () => `/threads/${read}`, { metadata: { a: 'b' } }],
    ['POST', () => `/threads/${read}/copy`, {}],
    ['POST', () => `/threads/${read}/state`, { values: { label: 'other' } }],
    ['POST', () => `/threads/${read}/runs`, steps(1, 0, 'refused')],
    ['POST', () => '/runs/wait', steps(1, 0, 'refused')],
    ['POST', () => '/compat/langgraph/threads', {}],
  ])('refuses what writes at once: %s %s', async (method, path, body) => {
    expect(await atOnce(method, path(), body)).toEqual(refused);
  });

  test.each<[string, () => string, object?]>([
    ['GET', () => `/threads/${read}`],
    ['GET', () => `/threads/${read}/state`],
    ['GET', () => `/threads/${read}/history`],
    ['GET', () => `/threads/${read}/runs`],
    ['GET', () => `/runs/${active}`],
    ['GET', () => `/runs/${active}/logs`],
    ['POST', () => '/threads/search', {}],
  ])('continues to serve reads: %s %s', async (method, path, body) => {
    expect(await atOnce(method, path(), body)).toEqual(served);
  });

  test('deletes a thread', async () => {
    await send(url, 'DELETE', `/threads/${spare}`);
    expect(await atOnce('GET', `/threads/${spare}`)).toMatchObject({ status: 404 });
  });

  test('continues by itself once there is room, and so does the run that was active', async () => {
    expect(await getRun(url, active)).toMatchObject({ status: 'running' });
    disk?.empty();
    await whenHealthy(url);
    expect(await awaitRun(url, active)).toMatchObject({
      status: 'completed',
      output: { done: [0, 1, 2, 3, 4, 5] },
    });
    const run = await createRun(url, steps(2, 0, 'after'), read);
    expect(await awaitRun(url, run.run_id)).toMatchObject({ status: 'completed' });
    const refusals = /^service_disk_full_refusals_total\{operation="create_run"\} 2$/m;
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(refusals);
  });

  test('can be started, read and stopped, and its database is whole', async () => {
    disk?.fill();
    await service.kill();
    await serve();
    expect(await atOnce('GET', '/health')).toMatchObject({ status: 503, isAtOnce: true });
    expect(await atOnce('POST', '/threads', {})).toEqual(refused);
    expect(await atOnce('GET', `/threads/${read}/state`)).toEqual(served);
    disk?.empty();
    await whenHealthy(url);
    await createThread(url);
    await service.stop();
    const database = new Database(join(dataDir, 'engine.db'));
    expect(database.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    database.close();
  });
});
