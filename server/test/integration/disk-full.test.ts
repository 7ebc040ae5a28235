/** Mounts its own disk; the service is a real one because the whole way of the error to the run is shown. */
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonText } from '../../src/model/json.ts';
import { openDirectoryBackend } from '../../src/storage/directory-backend.ts';
import { createStore } from '../../src/store/open-store.ts';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import { awaitRun, createRun, createThread, send } from '../fixtures/service-client.ts';
import { mountSmallDisk } from '../fixtures/small-disk.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';

const MIB = 1_024 * 1_024;

const mounted = mountSmallDisk(4);
const disk = mounted?.folder;
afterAll(() => mounted?.unmount());

test.skipIf(disk === undefined)(
  'a put that does not fit is refused as storage_full and leaves no draft, and a smaller one fits',
  async () => {
    const root = join(disk ?? '', 'backend');
    const backend = await openDirectoryBackend(root);
    const [large, small] = ['a', 'b'].map((digit) => digit.repeat(64)) as [string, string];
    await expect(backend.put('thread', large, new Uint8Array(5 * MIB))).rejects.toMatchObject({
      code: 'storage_full',
      message: expect.stringContaining('ENOSPC') as string,
    });
    expect(await readdir(join(root, 'drafts'))).toEqual([]);
    await backend.put('thread', small, new Uint8Array(1_000));
    expect((await backend.list('thread')).map(({ hash }) => hash)).toEqual([small]);
    rmSync(root, { recursive: true });
  },
);

test.skipIf(disk === undefined)(
  'an item that does not fit into a SQLite store is refused as storage_full, and others are read and deleted',
  async () => {
    const root = join(disk ?? '', 'store');
    const store = createStore({ provider: 'sqlite', path: join(root, 'store.db') });
    const item = { namespace: ['a'], key: 'k', owner: 'ann', metadata: jsonText('{}') };
    await store.put({ ...item, value: jsonText('1') });
    const large = jsonText(JSON.stringify('x'.repeat(5 * MIB)));
    await expect(store.put({ ...item, value: large })).rejects.toMatchObject({
      code: 'storage_full',
    });
    expect(await store.get(item)).toMatchObject({ value: '1' });
    await store.delete(item);
    await store.put({ ...item, value: jsonText('2') });
    await store.close();
    rmSync(root, { recursive: true });
  },
);

describe('a service on a small disk', { tags: 'release' }, () => {
  let folder = '';
  let service: ServiceProcess;

  beforeAll(async () => {
    if (disk === undefined) return;
    folder = mkdtempSync(join(tmpdir(), 'disk-full-'));
    service = await startDurableService({
      environment: {
        SERVICE_ENGINE_EXTERNAL_STORAGE_TYPE: 'directory',
        SERVICE_ENGINE_EXTERNAL_STORAGE_DIRECTORY_PATH: disk,
      },
    });
    await whenHealthy(service.url);
  });

  afterAll(async () => {
    if (disk === undefined) return;
    await service.stop();
    await rm(folder, { recursive: true });
  });

  test.skipIf(disk === undefined)(
    'a full disk ends the run with a clear error; the thread is readable, and works once there is room',
    async () => {
      const threadId = await createThread(service.url);
      const bulk = async (size: number) => {
        const input = { ledger: join(folder, 'ledger'), total: 1, size };
        const run = await createRun(service.url, { agent_id: 'bulk_ts', input }, threadId);
        return awaitRun(service.url, run.run_id);
      };
      const state = () =>
        send<{ values: { bulk: string } }>(service.url, 'GET', `/threads/${threadId}/state`);

      expect(await bulk(200_000)).toMatchObject({ status: 'completed' });
      expect(await bulk(3 * MIB)).toMatchObject({
        status: 'error',
        error: { code: 'storage_full', message: expect.stringContaining('ENOSPC') as string },
      });
      expect((await state()).values.bulk).toHaveLength(200_000);
      expect(await bulk(100_000)).toMatchObject({ status: 'completed' });
      expect((await state()).values.bulk).toHaveLength(100_000);
      expect(await readdir(join(disk ?? '', 'drafts'))).toEqual([]);
    },
  );
});
