import { afterEach, beforeEach, expect, it } from 'vitest';
import { DISK_RESERVE_BYTES, MIN_FREE_DISK_BYTES } from '../../model/disk-limits.ts';
import { DiskWatch } from './disk-watch.ts';

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
  };
  const log = (_fields: object, message: string): void => void disk.log.push(message);
  const watch = new DiskWatch({
    folder: '/data',
    logger: { error: log, warn: log, debug: log },
    refusals: { inc: ({ operation }) => void disk.refused.push(operation) },
    readFreeBytes: () => Promise.resolve(disk.free),
    reserve: {
      bytes: () => disk.reserved,
      take({ beyondBytes = 0 } = {}) {
        if (disk.reserved > 0) return Promise.resolve(true);
        if (DISK_RESERVE_BYTES + beyondBytes > Math.min(disk.free, disk.quota)) {
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
  await watch.look();
  expect(await watch.trouble()).toContain('a quota is used up');
  disk.quota += MIN_FREE_DISK_BYTES;
  await watch.look();
  expect(await write(watch)).toBe('written');
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
