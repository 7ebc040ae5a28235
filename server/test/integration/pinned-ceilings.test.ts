/** Spec: Limits, `engine.max_checkpoint_bytes`: pinned into a thread at creation. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runToEnd, startLimitsService } from '../fixtures/limits-service.ts';
import { createThread } from '../fixtures/service-client.ts';

const KIB = 1_024;
const heap = (size: number): Record<string, unknown> => {
  return { agent_id: 'heap_ts', input: { size_a: size } };
};

it('a thread keeps to the ceiling that it was created with, whichever holds for new ones', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'pinned-'));
  const start = (bytes: string): ReturnType<typeof startLimitsService> =>
    startLimitsService({ dataDir, environment: { SERVICE_ENGINE_MAX_CHECKPOINT_BYTES: bytes } });
  let service = await start('64KiB');
  try {
    const ended = async (size: number, threadId: string): Promise<string | undefined> => {
      const run = await runToEnd(service.url, heap(size), threadId);
      return run.status === 'error' ? run.error?.code : run.status;
    };
    const low = await createThread(service.url);
    expect(await ended(32 * KIB, low)).toBe('completed');
    await service.stop();

    service = await start('256KiB');
    const high = await createThread(service.url);
    expect(await ended(128 * KIB, low)).toBe('checkpoint_too_large');
    expect(await ended(32 * KIB, low)).toBe('completed');
    expect(await ended(128 * KIB, high)).toBe('completed');
    await service.stop();

    service = await start('64KiB');
    expect(await ended(128 * KIB, high)).toBe('completed');
    expect(await ended(128 * KIB, await createThread(service.url))).toBe('checkpoint_too_large');
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 180_000);
