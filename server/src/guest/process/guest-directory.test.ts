// What is left in folders is the subject. Starts a process that is killed, as a service may be.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import path from 'node:path';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

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

/** As a service that was killed leaves it: with a socket without a listener. */
async function abandoned(): Promise<GuestDirectory> {
  const directory = await makeGuestDirectory();
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
    const directory = await abandoned();
    make(directory.pidFile);
    await removeAbandonedGuests();
    expect(existsSync(directory.path)).toBe(false);
  });

  it('is removed where a guest has put a link to a living socket in place of its own', async () => {
    const directory = await abandoned();
    const living = createServer().listen(path.join(temporary, 'living'));
    await once(living, 'listening');
    rmSync(directory.hostSocket);
    symlinkSync(path.join(temporary, 'living'), directory.hostSocket);
    utimesSync(directory.path, 0, 0);
    await removeAbandonedGuests();
    living.close();
    expect(existsSync(directory.path)).toBe(false);
  });

  it('is removed where it was half made, and left alone where another program has made it otherwise', async () => {
    const [halfMade, other] = ['agent-guest-half', 'agent-guest-other'].map((name) =>
      path.join(temporary, name),
    ) as [string, string];
    mkdirSync(halfMade);
    mkdirSync(other);
    writeFileSync(path.join(other, 'host.sock'), '');
    for (const folder of [halfMade, other]) utimesSync(folder, 0, 0);
    await removeAbandonedGuests();
    expect([existsSync(halfMade), existsSync(other)]).toEqual([false, true]);
  });
});
