import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DISK_RESERVE_BYTES } from '../../model/limits/disk-limits.ts';

/** Disk space that is set aside for later. */
export interface DiskReserve {
  /** How much is set aside now. */
  bytes(): number;
  /**
   * Sets it aside, if it is not; false when the disk has no space for it or a quota is exhausted. `beyondBytes`:
   * succeeds only where that many more bytes could be written as well.
   */
  take(options?: { beyondBytes?: number }): Promise<boolean>;
  /** Frees it for the next writes. */
  giveUp(): Promise<void>;
}

const FILE = 'disk.reserve';
const CHUNK_BYTES = 1_024 * 1_024;

/** A file in the folder. One that was set aside earlier counts, if it is complete. */
export function openDiskReserve(folder: string): DiskReserve {
  const file = join(folder, FILE);
  let bytes = bytesSetAside(file);

  async function giveUp(): Promise<void> {
    await rm(file, { force: true });
    bytes = 0;
  }

  return {
    bytes: () => bytes,
    async take({ beyondBytes = 0 } = {}) {
      if (bytes >= DISK_RESERVE_BYTES) return true;
      try {
        await fill(file, DISK_RESERVE_BYTES + beyondBytes);
        bytes = DISK_RESERVE_BYTES;
        return true;
      } catch {
        await giveUp().catch(() => undefined);
        return false;
      }
    },
    giveUp,
  };
}

/** A file of another size was left by a process killed while writing it: it is no reserve and is removed. */
function bytesSetAside(file: string): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === DISK_RESERVE_BYTES) return size;
  if (size !== undefined) rmSync(file, { force: true });
  return 0;
}

/** Writes that many bytes, and truncates the file to the reserve. */
async function fill(file: string, bytes: number): Promise<void> {
  const chunk = randomBytes(CHUNK_BYTES); // zeros use no space on file systems that compress
  const handle = await open(file, 'w', 0o600);
  try {
    for (let size = 0; size < bytes; size += CHUNK_BYTES) await handle.writeFile(chunk);
    await handle.sync(); // some file systems allocate space only now
    await handle.truncate(DISK_RESERVE_BYTES);
  } finally {
    await handle.close();
  }
}
