// Processes are the subject: every test starts a guest that starts another one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { describe, expect, it, vi } from 'vitest';

import { testGuestProgram } from '../../../test/fixtures/test-guest-program.ts';
import { isOfLostHost, makeMark, MARK_VARIABLE } from './guest-mark.ts';
import { GuestProcess } from './guest-process.ts';
import { guestLimits } from '../limits.ts';
import { killProcess, processNow, readProcessTable, withVariable } from './process-table.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const never = new AbortController().signal;

/** A guest that has started a program which leaves its session, and its parent or its environment. */
async function startWith(daemon: 'orphan' | 'bare') {
  const lines: string[] = [];
  const onOutput = ({ text }: { text: string }): void => void lines.push(text);
  // On a busy machine, too, it is known before the kill what the guest has started.
  const limits = { ...guestLimits, noteMs: 15_000 };
  const options = { maxMessageBytes: 1024 * 1024, logger, onOutput, limits };
  const guest = await GuestProcess.start(testGuestProgram({ daemon }), options, never);
  await vi.waitFor(() => expect(lines.join()).toMatch(/(?:orphan|child) \d+/), 15_000);
  const pid = Number(/(?:orphan|child) (\d+)/.exec(lines.join())?.[1]);
  const isAlive = (): boolean => processNow(pid) !== undefined;
  expect(isAlive()).toBe(true);
  return { guest, isAlive };
}

describe.runIf(process.platform === 'linux')('what a guest has started', () => {
  it.each(['orphan', 'bare'] as const)('ends when the guest is closed (%s)', async (daemon) => {
    const { guest, isAlive } = await startWith(daemon);
    await guest.close();
    expect(isAlive()).toBe(false);
  });

  it('ends when the guest has died without warning', async () => {
    const { guest, isAlive } = await startWith('orphan');
    process.kill(guest.pid, 'SIGKILL');
    await guest.exited;
    await guest.close();
    expect(isAlive()).toBe(false);
  });

  it('ends when the guest is killed because it is stuck', async () => {
    const { guest, isAlive } = await startWith('bare');
    process.kill(guest.pid, 'SIGSTOP');
    await guest.killStuck('It was stuck.');
    expect(await guest.exited).toBe('It was stuck.');
    await guest.close();
    expect(isAlive()).toBe(false);
  });

  it('of another guest stays', async () => {
    const other = await startWith('orphan');
    const { guest } = await startWith('orphan');
    await guest.close();
    expect(other.isAlive()).toBe(true);
    await other.guest.close();
  });
});

describe.runIf(process.platform === 'linux')('what a host that is gone has left', () => {
  const fixture = fileURLToPath(
    new URL('../../../test/fixtures/ends-lost-offspring.ts', import.meta.url),
  );
  /** A shell with a mark that starts another process, and then the given command. */
  function startShell(lost: string, command: string) {
    const env = { ...process.env, TEST_LOST: lost, [MARK_VARIABLE]: `${lost}/shell` };
    const script = `/bin/sleep 600 & echo $!; ${command}; kill $!`;
    const shell = spawn('/bin/sh', ['-c', script], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    return { shell, lines: createInterface({ input: shell.stdout })[Symbol.asyncIterator]() };
  }
  const pidsOf = ({ value }: IteratorResult<string>): number[] =>
    String(value).split(',').map(Number);
  const isAlive = (pid = 0): boolean => processNow(pid) !== undefined;

  it.each([
    ['has its mark', ''],
    ['has lost its mark', `env -u ${MARK_VARIABLE} `],
  ])('ends, but not a host that it started, and that %s', async (_, prefix) => {
    // A mark that is none for the hosts of other tests.
    const lost = `lost-${process.pid}-${performance.now()}`;
    const env = { [MARK_VARIABLE]: `${lost}/other` };
    const other = spawn('/bin/sleep', ['600'], { env, stdio: 'ignore' });
    const gone = once(other, 'exit');
    const { shell, lines } = startShell(lost, `${prefix}"${process.execPath}" "${fixture}"`);
    const neighbour = pidsOf(await lines.next());
    const caller = pidsOf(await lines.next());
    expect(await gone).toEqual([null, 'SIGKILL']);
    expect(caller).toHaveLength(4);
    expect([shell.pid, ...neighbour, ...caller].filter((pid) => !isAlive(pid))).toEqual([]);
    shell.stdin.end();
    await once(shell, 'exit');
  });
});

describe.runIf(process.platform === 'linux')('a mark', () => {
  it('is another one for every guest, and knows whether its host has exited', async () => {
    const mark = makeMark();
    expect(makeMark()).not.toBe(mark);
    const [pid, start = '', namespace, random] = mark.split('/');
    // The same id at another time is another process; and processes of another namespace are unknown.
    const marks = [
      mark,
      [pid, `${start}0`, namespace, random].join('/'),
      [pid, `${start}0`, 'pid:[1]', random].join('/'),
      [0, start, namespace, random].join('/'),
      'anything',
    ];
    expect(marks.map(isOfLostHost)).toEqual([false, true, false, false, false]);
  });

  it('is found in the environment a process was started with', async () => {
    const child = spawn('sleep', ['600'], {
      env: { [MARK_VARIABLE]: 'here', PATH: '/usr/bin:/bin' },
    });
    await once(child, 'spawn');
    const found = await withVariable(await readProcessTable(), MARK_VARIABLE);
    const { entry } = found.find(({ value }) => value === 'here') ?? {};
    expect(entry).toMatchObject({ pid: child.pid, parent: process.pid });
    // Not by its id alone, which may be another process's by now.
    if (entry) killProcess({ ...entry, start: '1' });
    expect(processNow(child.pid ?? 0)).toEqual(entry);
    if (entry) killProcess(entry);
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });
});
