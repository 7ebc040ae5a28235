// Processes are the subject: every test starts guests, and two need a host that is killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { testGuestProgram } from '../../../test/fixtures/test-guest-program.ts';
import { removeAbandonedGuests } from './guest-directory.ts';
import { GuestProcess } from './guest-process.ts';
import { guestLimits } from '../limits.ts';
import type { Logger } from '../port.ts';

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };
const options = { maxMessageBytes: 1024 * 1024, logger: silent, onOutput: () => undefined };
const never = new AbortController().signal;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('lives in a folder that only its user can enter, and removes it at its end', async () => {
  const guest = await GuestProcess.start(testGuestProgram(), options, never);
  const folder = guest.directory;
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(path.join(folder, 'in/config.json')).mode & 0o777).toBe(0o600);
  await guest.close();
  expect(existsSync(folder)).toBe(false);
  expect(isAlive(guest.pid)).toBe(false);
});

it('is killed when it does not end by itself, with what it has started', async () => {
  const lines: string[] = [];
  const guest = await GuestProcess.start(
    testGuestProgram({ stubborn: true }),
    {
      ...options,
      limits: { ...guestLimits, stopGraceMs: 100 },
      onOutput: ({ text }) => lines.push(text),
    },
    never,
  );
  await vi.waitFor(() => expect(lines[0]).toMatch(/^child \d+$/), 15_000);
  const child = Number(lines[0]?.replace('child ', ''));
  expect(isAlive(child)).toBe(true);
  await guest.close();
  expect(await guest.exited).toBe('The javascript guest was killed by SIGKILL.');
  await vi.waitFor(() => expect(isAlive(child)).toBe(false), 15_000);
});

describe('a host that is killed', () => {
  // One process for both tests, with an ordinary guest and one that does not notice its end.
  let guests: number[] = [];
  /** Of the one that does not notice. */
  let folder = '';
  // Every host of this machine removes what it finds abandoned: these guests are for the host of this test alone.
  let temporary = '';
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(temporary, { recursive: true, force: true });
  });
  beforeAll(async () => {
    temporary = mkdtempSync(path.join(tmpdir(), 'host-'));
    vi.stubEnv('TMPDIR', temporary);
    const file = fileURLToPath(new URL('../../../test/fixtures/guest-host.ts', import.meta.url));
    const host = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(createInterface({ input: host.stdout }), 'line')) as [string];
    guests = line.split(',').map(Number);
    if (!guests.every(isAlive)) throw new Error('The guests have not started.');
    if (process.platform === 'linux') {
      const commandLine = readFileSync(`/proc/${guests[1]}/cmdline`, 'utf8');
      folder = path.dirname(commandLine.split('\0').at(-2) ?? '');
    }
    host.kill('SIGKILL');
    await once(host, 'exit');
  });

  it('takes its guests along', async () => {
    const [ordinary = 0] = guests;
    await vi.waitFor(() => expect(isAlive(ordinary)).toBe(false), 15_000);
  });

  it.runIf(process.platform === 'linux')(
    'leaves guests that did not notice to the next host, which ends them with what they started, and their folder',
    async () => {
      const [, stubborn = 0, orphan = 0] = guests;
      const guest = await GuestProcess.start(testGuestProgram(), options, never);
      expect(existsSync(folder)).toBe(true);
      await removeAbandonedGuests();
      expect(existsSync(folder)).toBe(false);
      await vi.waitFor(() => {
        expect([stubborn, orphan].map(isAlive)).toEqual([false, false]);
      }, 15_000);
      // What belongs to a host that lives is left alone.
      expect(isAlive(guest.pid)).toBe(true);
      expect(existsSync(guest.directory)).toBe(true);
      await guest.close();
    },
  );
});
