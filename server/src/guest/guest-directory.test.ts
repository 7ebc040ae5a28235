// The kernel's mounts and what is left in folders are the subject; one test mounts, which takes root.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import path from 'node:path';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { PRIVATE_FOLDER_BYTES } from '../model/sandbox-limits.ts';
import { isBounded } from './bounded-folder.ts';
import {
  type GuestDirectory,
  makeGuestDirectory,
  removeAbandonedGuests,
} from './guest-directory.ts';

let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(path.join(tmpdir(), 'left-'));
  vi.stubEnv('TMPDIR', temporary);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true, force: true });
});

/** As a service that was killed leaves it: with a socket at which nobody listens. */
async function abandoned(kind: 'none' | 'docker'): Promise<GuestDirectory> {
  const directory = await makeGuestDirectory(kind);
  const script = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  try {
    execFileSync(process.execPath, ['-e', script, directory.hostSocket]);
  } catch {
    // Killed, as it should be.
  }
  return directory;
}

describe('what a service that was killed has left', () => {
  it.each([
    ['a pipe', (file: string) => execFileSync('mkfifo', [file])],
    ['a link to a device without an end', (file: string) => symlinkSync('/dev/zero', file)],
    ['a large file', (file: string) => writeFileSync(file, '1'.repeat(1024 * 1024))],
  ])('is removed where a guest has made %s of guest.pid', async (_, make) => {
    const directory = await abandoned('none');
    make(directory.pidFile);
    await removeAbandonedGuests();
    expect(existsSync(directory.path)).toBe(false);
  });

  it('is removed where a guest has put a link to a living socket in place of its own', async () => {
    const directory = await abandoned('none');
    const living = createServer().listen(path.join(temporary, 'living'));
    await once(living, 'listening');
    rmSync(directory.hostSocket);
    symlinkSync(path.join(temporary, 'living'), directory.hostSocket);
    utimesSync(directory.path, 0, 0);
    await removeAbandonedGuests();
    living.close();
    expect(existsSync(directory.path)).toBe(false);
  });
});

describe.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'the private folder of a guest in a sandbox, where the service is root',
  () => {
    it('has a bound, whoever looks on', async () => {
      const directory = await makeGuestDirectory('docker');
      expect(await isBounded(directory.path)).toBe(true);
      const { blocks, bsize } = statfsSync(directory.path);
      expect(blocks * bsize).toBe(PRIVATE_FOLDER_BYTES);
      const file = path.join(directory.path, 'file');
      writeFileSync(file, '');
      const fill = (): void => {
        // KEEP_SIZE: no notice is given of it, and the size of the file stays.
        execFileSync('fallocate', ['--keep-size', '--length', '2MiB', file], { stdio: 'pipe' });
      };
      try {
        expect(fill).toThrow(/No space left/);
      } finally {
        await directory.remove();
      }
      expect(await isBounded(directory.path)).toBe(false);
      expect(existsSync(directory.path)).toBe(false);
    });

    it('is taken away by the next start after a kill', async () => {
      const directory = await abandoned('docker');
      expect(await isBounded(directory.path)).toBe(true);
      await removeAbandonedGuests();
      expect(await isBounded(directory.path)).toBe(false);
      expect(existsSync(directory.path)).toBe(false);
    });

    it('is that of the disk with --sandbox none', async () => {
      const directory = await makeGuestDirectory('none');
      expect(await isBounded(directory.path)).toBe(false);
      await directory.remove();
    });
  },
);
