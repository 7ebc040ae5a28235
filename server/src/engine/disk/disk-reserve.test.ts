import { existsSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DISK_RESERVE_BYTES } from '../../model/limits/disk-limits.ts';
import { openDiskReserve } from './disk-reserve.ts';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'disk-reserve-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('occupies the disk until it is given up, also when it is opened again later', async () => {
  const file = join(folder, 'disk.reserve');
  const reserve = openDiskReserve(folder);
  expect(reserve.bytes()).toBe(0);
  expect(await reserve.take({ beyondBytes: 1_024 * 1_024 })).toBe(true);
  const { size, blocks } = statSync(file);
  expect(size).toBe(DISK_RESERVE_BYTES);
  expect(blocks * 512).toBeGreaterThanOrEqual(DISK_RESERVE_BYTES);

  const later = openDiskReserve(folder);
  expect(later.bytes()).toBe(DISK_RESERVE_BYTES);
  await later.giveUp();
  expect(later.bytes()).toBe(0);
  expect(existsSync(file)).toBe(false);
});

it.each([-1, 1, DISK_RESERVE_BYTES])(
  'does not count what a killed process left, %i bytes off, and writes it anew',
  async (off) => {
    const file = join(folder, 'disk.reserve');
    writeFileSync(file, '');
    truncateSync(file, DISK_RESERVE_BYTES + off);
    const reserve = openDiskReserve(folder);
    expect(reserve.bytes()).toBe(0);
    expect(existsSync(file)).toBe(false);
    expect(await reserve.take()).toBe(true);
    expect(statSync(file).size).toBe(DISK_RESERVE_BYTES);
    expect(reserve.bytes()).toBe(DISK_RESERVE_BYTES);
  },
);

it('reports that it cannot be written', async () => {
  const reserve = openDiskReserve(join(folder, 'missing'));
  expect(await reserve.take()).toBe(false);
  expect(reserve.bytes()).toBe(0);
});
