import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';

import { testGuestProgram } from '../../test/fixtures/test-guest-program.ts';
import { removeAbandonedGuests } from './guest-directory.ts';
import { GuestProcess } from './guest-process.ts';
import { guestLimits } from './limits.ts';
import type { Logger } from './logger.ts';

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
  expect(statSync(path.join(folder, 'config.json')).mode & 0o777).toBe(0o600);
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
  await vi.waitFor(() => expect(lines[0]).toMatch(/^child \d+$/), 5_000);
  const child = Number(lines[0]?.replace('child ', ''));
  expect(isAlive(child)).toBe(true);
  await guest.close();
  expect(await guest.exited).toBe('The javascript guest was killed by SIGKILL.');
  await vi.waitFor(() => expect(isAlive(child)).toBe(false), 5_000);
});

/** A host in a process of its own, and the process id of its guest. */
async function startHost(...args: string[]): Promise<{ host: ChildProcess; pid: number }> {
  const file = fileURLToPath(new URL('../../test/fixtures/pool-host.ts', import.meta.url));
  const host = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: host.stdout }), 'line')) as [string];
  return { host, pid: Number(line) };
}

it('ends when its host is killed', async () => {
  const { host, pid } = await startHost();
  expect(isAlive(pid)).toBe(true);
  host.kill('SIGKILL');
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 5_000);
});

it.runIf(process.platform === 'linux')(
  'is ended by the next host when it did not notice, and its folder goes',
  async () => {
    const { host, pid } = await startHost('stubborn');
    const guest = await GuestProcess.start(testGuestProgram(), options, never);
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const folder = path.dirname(commandLine.split('\0').at(-2) ?? '');
    host.kill('SIGKILL');
    await once(host, 'exit');
    expect(existsSync(folder)).toBe(true);
    await removeAbandonedGuests();
    expect(existsSync(folder)).toBe(false);
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 5_000);
    // What belongs to a host that lives is left alone.
    expect(isAlive(guest.pid)).toBe(true);
    expect(existsSync(guest.directory)).toBe(true);
    await guest.close();
  },
);
