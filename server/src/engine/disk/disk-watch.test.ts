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
    /** What the quota still allows; the file system does not tell. */
    quota: Number.POSITIVE_INFINITY,
    refused: [] as string[],
    log: [] as string[],
    /** The file system answers. */
    answers: true,
    now: 0,
    /** When it was tried to set the reserve aside. */
    takes: [] as number[],
    /** The most that a try that failed had written before it found out. */
    wasted: 0,
  };
  const log = (_fields: object, message: string): void => void disk.log.push(message);
  const watch = new DiskWatch({
    folder: '/data',
    lookLimitMs: 20,
    logger: { error: log, warn: log, debug: log },
    refusals: { inc: ({ operation }) => void disk.refused.push(operation) },
    readFreeBytes: () => (disk.answers ? Promise.resolve(disk.free) : new Promise(() => undefined)),
    now: () => disk.now,
    reserve: {
      bytes: () => disk.reserved,
      take({ beyondBytes = 0 } = {}) {
        if (disk.reserved > 0) return Promise.resolve(true);
        disk.takes.push(disk.now);
        const room = Math.min(disk.free, disk.quota);
        if (DISK_RESERVE_BYTES + beyondBytes > room) {
          disk.wasted = Math.max(disk.wasted, room);
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

it('sets the reserve aside when room gets little, and not before', async () => {
  const ample = fakeDisk(10_000);
  await ample.watch.look();
  expect(ample.disk.reserved).toBe(0);
  const { disk, watch } = opened;
  await watch.look();
  expect(disk.reserved).toBe(DISK_RESERVE_BYTES);
  expect(await write(watch)).toBe('written');
  expect(await watch.trouble()).toBeUndefined();
});

it('refuses what writes at once while the disk is full, and says how much it takes to go on', async () => {
  const { disk, watch } = opened;
  await watch.look();
  disk.free = 20 * MIB;
  const message =
    'The disk of the data directory is full: 20 MiB are free, 40 MiB are needed to go on.';
  expect(await watch.trouble()).toBe(
    `${message} Make room on the disk of /data. Reading and deleting work, runs wait.`,
  );
  await expect(write(watch)).rejects.toMatchObject({
    code: 'storage_full',
    message: `${message} Nothing is written until there is room again; reading and deleting work.`,
    details: { free_bytes: 20 * MIB, needed_bytes: 40 * MIB },
  });
  expect(disk.refused).toEqual(['write']);
  // The engine has room for what it began.
  expect(disk.reserved).toBe(DISK_RESERVE_BYTES);
});

it('gives the reserve to the engine when nothing is left, and begins again only when it is set aside again', async () => {
  const { disk, watch } = opened;
  await watch.look();
  disk.free = 0;
  await watch.look();
  expect(disk).toMatchObject({ free: DISK_RESERVE_BYTES, reserved: 0 });
  disk.free = DISK_RESERVE_BYTES + MIN_FREE_DISK_BYTES;
  await watch.look();
  await expect(write(watch)).rejects.toMatchObject({ code: 'storage_full' });
  disk.free += MIN_FREE_DISK_BYTES / 4;
  await watch.look();
  expect(await write(watch)).toBe('written');
  expect(disk.reserved).toBe(DISK_RESERVE_BYTES);
  expect(disk.log).toEqual([
    'disk is getting full',
    'disk full, what writes is refused',
    'disk has room again',
  ]);
});

it('believes an engine that cannot write more than the file system: a quota', async () => {
  const { disk, watch } = opened;
  await watch.look();
  disk.quota = 0;
  watch.reportFull();
  await expect(write(watch)).rejects.toMatchObject({ code: 'storage_full' });
  await watch.look();
  expect(disk.reserved).toBe(0);
  // The reserve alone would fit: it is what was just given up.
  disk.now += FIRST_PROOF_WAIT_MS;
  await watch.look();
  expect(await watch.trouble()).toContain('a quota is used up');
  disk.quota += MIN_FREE_DISK_BYTES;
  disk.now += FIRST_PROOF_WAIT_MS;
  await watch.look();
  expect(await write(watch)).toBe('written');
});

it('leaves the engine what it was given: a quota is tried out less and less often', async () => {
  const { disk, watch } = opened;
  await watch.look();
  disk.quota = 0;
  disk.takes = [];
  watch.reportFull();
  await watch.look();
  // Neither an engine that fails again nor who asks for health makes it a try.
  watch.reportFull();
  await watch.look();
  await watch.trouble();
  expect(disk.takes).toEqual([]);
  for (; disk.now < 121_000; disk.now += 1_000) await watch.look();
  expect(disk.takes.map((at) => at / 1_000)).toEqual([1, 2, 4, 8, 16, 32, 62, 92]);
  expect(disk.wasted).toBe(DISK_RESERVE_BYTES);

  disk.quota += MIN_FREE_DISK_BYTES;
  disk.now += LONGEST_PROOF_WAIT_MS;
  await watch.look();
  expect(await write(watch)).toBe('written');
  // It begins anew.
  disk.quota = 0;
  watch.reportFull();
  await watch.look();
  disk.takes = [];
  const begin = disk.now;
  for (; disk.now <= begin + 4_000; disk.now += 1_000) await watch.look();
  expect(disk.takes.map((at) => at - begin)).toEqual([1_000, 2_000, 4_000]);
});

it('lets saves wait for room, as long as they have patience and the service runs', async () => {
  const { disk, watch } = opened;
  await watch.untilRoom();
  disk.free = 0;
  await watch.look();
  await expect(watch.untilRoom({ patienceMs: 1 })).rejects.toMatchObject({
    code: 'engine_unavailable',
  });
  const saved = watch.untilRoom();
  disk.free = 300 * MIB;
  await watch.look();
  await saved;

  disk.free = 0;
  await watch.look();
  const ended = watch.untilRoom();
  watch.abandon();
  await expect(ended).rejects.toMatchObject({ code: 'engine_unavailable' });
  await expect(watch.untilRoom()).rejects.toMatchObject({ code: 'engine_unavailable' });
});

it('does not hang on a file system that does not answer: the state stays, and it looks again', async () => {
  const { disk, watch } = opened;
  disk.free = 20 * MIB;
  await watch.look();
  disk.answers = false;
  await watch.look();
  expect(watch.isFull()).toBe(true);
  disk.answers = true;
  disk.free = 300 * MIB;
  await watch.look();
  expect(watch.isFull()).toBe(false);
});

it('starts though the file system does not answer, unless the start is given up', async () => {
  const { disk, watch } = opened;
  disk.answers = false;
  const stop = new AbortController();
  const given = watch.start(stop.signal);
  stop.abort(new Error('given up'));
  await expect(given).rejects.toThrow('given up');
  await watch.start();
  expect(watch.isFull()).toBe(false);
  disk.answers = true;
  disk.free = 0;
  await vi.waitFor(() => expect(watch.isFull()).toBe(true), 5_000);
});
