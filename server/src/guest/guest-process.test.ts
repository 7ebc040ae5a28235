import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';

import { testGuestProgram } from '../../test/fixtures/test-guest-program.ts';
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

it('ends when its host is killed', async () => {
  const file = fileURLToPath(new URL('../../test/fixtures/pool-host.ts', import.meta.url));
  const host = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(createInterface({ input: host.stdout }), 'line')) as [string];
    const pid = Number(line);
    expect(isAlive(pid)).toBe(true);
    host.kill('SIGKILL');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 5_000);
  } finally {
    host.kill('SIGKILL');
  }
});
