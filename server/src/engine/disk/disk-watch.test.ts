import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DISK_RESERVE_BYTES, MIN_FREE_DISK_BYTES } from '../../model/limits/disk-limits.ts';
import { DiskWatch } from './disk-watch.ts';
import { FIRST_PROOF_WAIT_MS, LONGEST_PROOF_WAIT_MS } from './proof-pace.ts';

const MIB = 1_024 * 1_024;

/** A disk of numbers: what the reserve takes is no longer free. */
function fakeDisk(freeMib: number) {
  const disk = {
    free: freeMib * MIB,
    reserved: 0,
    /** What the quota still allows; the file system does not report it. */
    quota: Number.POSITIVE_INFINITY,
    refused: [] as string[],
    log: [] as string[],
    /** The file system responds. */
    responds: true,
    now: 0,
    /** When setting the reserve aside was attempted. */
    takes: [] as number[],
    /** The most that a failed attempt wrote before it failed. */
    wasted: 0,
  };
  const log = (_fields: object, message: string): void => void disk.log.push(message);
  const watch = new DiskWatch({
    folder: '/data',
    checkLimitMs: 20,
    logger: { error: log, warn: log, debug: log },
    refusals: { inc: ({ operation }) => void disk.refused.push(operation) },
    readFreeBytes: () =>
      disk.responds ? Promise.resolve(disk.free) : new Promise(() => undefined),
    now: () => disk.now,
    reserve: {
      bytes: () => disk.reserved,
      take({ beyondBytes = 0 } = {}) {
        if (disk.reserved > 0) return Promise.resolve(true);
        disk.takes.push(disk.now);
        const space = Math.min(disk.free, disk.quota);
        if (DISK_RESERVE_BYTES + beyondBytes > space) {
          disk.wasted = Math.max(disk.wasted, space);
          return Promise.resolve(false);
        }
        disk.free -= DISK_RESERVE_BYTES;
        disk.quota -= DISK_RESERVE_BYTES;
        disk.reserved = DISK_RESERVE_BYTES;
        return Promise.resolve(true);
      },
      giveUp() {
        disk.free += disk.reserved;
        disk.quota += disk.reserved;
        disk.reserved = 0;
        return Promise.resolve();
      },
    },
  });
  return { disk, watch };
}

const write = (watch: DiskWatch): Promise<string> => watch.admit('write', async () => 'written');

let opened: ReturnType<typeof fakeDisk>;
beforeEach(() => void (opened = fakeDisk(300)));
afterEach(() => opened.watch.close());

it('sets the reserve aside when little space is left, and not before', async () => {
  const ample = fakeDisk(10_000);
  await ample.watch.check();
  expect(ample.disk.reserved).toBe(0);
  const { disk, watch } = opened;
  await watch.check();
  expect(disk.reserved).toBe(DISK_RESERVE_BYTES);
  expect(await write(watch)).toBe('written');
  expect(await watch.trouble()).toBeUndefined();
});

it('refuses writes at once while the disk is full, and reports how much space it takes to continue', async () => {
  const { disk, watch } = opened;
  await watch.check();
  disk.free = 20 * MIB;
  const message =
    'The disk of the data directory is full: 20 MiB are free, 40 MiB are needed to continue.';
  expect(await watch.trouble()).toBe(
    `${message} Free space on the disk of /data. Reading and deleting work, runs wait.`,
  );
  await expect(write(watch)).rejects.toMatchObject({
    code: 'storage_full',
    message: `${message} Nothing is written until there is free space again; reading and deleting work.`,
    details: { free_bytes: 20 * MIB, needed_bytes: 40 * MIB },
  });
  expect(disk.refused).toEqual(['write']);
  // The engine has space for what it began.
  expect(disk.reserved).toBe(DISK_RESERVE_BYTES);
});

it('gives the reserve to the engine when no space is left, and accepts writes only when it is set aside again', async () => {
  const { disk, watch } = opened;
  await watch.check();
  disk.free = 0;
  await watch.check();
  expect(disk).toMatchObject({ free: DISK_RESERVE_BYTES, reserved: 0 });
  disk.free = DISK_RESERVE_BYTES + MIN_FREE_DISK_BYTES;
  await watch.check();
  await expect(write(watch)).rejects.toMatchObject({ code: 'storage_full' });
  disk.free += MIN_FREE_DISK_BYTES / 4;
  await watch.check();
  expect(await write(watch)).toBe('written');
  expect(disk.reserved).toBe(DISK_RESERVE_BYTES);
  expect(disk.log).toEqual([
    'disk is getting full',
    'disk full, writes are refused',
    'disk has free space again',
  ]);
});

it('believes an engine that cannot write more than the file system: a quota', async () => {
  const { disk, watch } = opened;
  await watch.check();
  disk.quota = 0;
  watch.reportFull();
  await expect(write(watch)).rejects.toMatchObject({ code: 'storage_full' });
  await watch.check();
  expect(disk.reserved).toBe(0);
  // The reserve alone would fit: it is what was just given up.
  disk.now += FIRST_PROOF_WAIT_MS;
  await watch.check();
  expect(await watch.trouble()).toContain('a quota is used up');
  disk.quota += MIN_FREE_DISK_BYTES;
  disk.now += FIRST_PROOF_WAIT_MS;
  await watch.check();
  expect(await write(watch)).toBe('written');
});

it('leaves the engine what it was given: a quota is tested less and less often', async () => {
  const { disk, watch } = opened;
  await watch.check();
  disk.quota = 0;
  disk.takes = [];
  watch.reportFull();
  await watch.check();
  // Neither an engine that fails again nor a health check triggers an attempt.
  watch.reportFull();
  await watch.check();
  await watch.trouble();
  expect(disk.takes).toEqual([]);
  for (; disk.now < 121_000; disk.now += 1_000) await watch.check();
  expect(disk.takes.map((at) => at / 1_000)).toEqual([1, 2, 4, 8, 16, 32, 62, 92]);
  expect(disk.wasted).toBe(DISK_RESERVE_BYTES);

  disk.quota += MIN_FREE_DISK_BYTES;
  disk.now += LONGEST_PROOF_WAIT_MS;
  await watch.check();
  expect(await write(watch)).toBe('written');
  // The delay starts over.
  disk.quota = 0;
  watch.reportFull();
  await watch.check();
  disk.takes = [];
  const begin = disk.now;
  for (; disk.now <= begin + 4_000; disk.now += 1_000) await watch.check();
  expect(disk.takes.map((at) => at - begin)).toEqual([1_000, 2_000, 4_000]);
});

it('lets saves wait for space, within their time limit and while the service runs', async () => {
  const { disk, watch } = opened;
  await watch.untilSpace();
  disk.free = 0;
  await watch.check();
  await expect(watch.untilSpace({ patienceMs: 1 })).rejects.toMatchObject({
    code: 'engine_unavailable',
  });
  const saved = watch.untilSpace();
  disk.free = 300 * MIB;
  await watch.check();
  await saved;

  disk.free = 0;
  await watch.check();
  const ended = watch.untilSpace();
  watch.abandon();
  await expect(ended).rejects.toMatchObject({ code: 'engine_unavailable' });
  await expect(watch.untilSpace()).rejects.toMatchObject({ code: 'engine_unavailable' });
});

it('does not hang on a file system that does not respond: the state stays, and it checks again', async () => {
  const { disk, watch } = opened;
  disk.free = 20 * MIB;
  await watch.check();
  disk.responds = false;
  await watch.check();
  expect(watch.isFull()).toBe(true);
  disk.responds = true;
  disk.free = 300 * MIB;
  await watch.check();
  expect(watch.isFull()).toBe(false);
});

it('starts though the file system does not respond, unless the start is given up', async () => {
  const { disk, watch } = opened;
  disk.responds = false;
  const stop = new AbortController();
  const given = watch.start(stop.signal);
  stop.abort(new Error('given up'));
  await expect(given).rejects.toThrow('given up');
  await watch.start();
  expect(watch.isFull()).toBe(false);
  disk.responds = true;
  disk.free = 0;
  await vi.waitFor(() => expect(watch.isFull()).toBe(true), 5_000);
});
