// Starts processes: what it promises is about processes.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { spawn } from 'node:child_process';
import { runCommand, type Command, type CommandEnd } from './run-job.ts';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), 'run-job-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** A command of the shell, with its standard output in a file. */
const sh = (script: string, limitMs = 60_000): Command => ({
  command: 'sh',
  args: ['-c', script],
  cwd: folder,
  limitMs,
  log: path.join(folder, 'log'),
});
const run = (command: Command, signal = new AbortController().signal): Promise<CommandEnd> =>
  runCommand(command, signal);
const printed = (): string => readFileSync(path.join(folder, 'log'), 'utf8');

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe.runIf(process.platform === 'linux')('a command', () => {
  it('ends with its code, and what it printed is in its log', async () => {
    const end = await run(sh('echo out; echo err >&2; exit 3'));
    expect(end).toEqual({
      exitCode: 3,
      seconds: expect.any(Number),
      wasCutOff: undefined,
      left: [],
    });
    expect(printed()).toBe('out\nerr\n');
  });

  it('that cannot be started fails with the reason', async () => {
    const end = await run({ ...sh(''), command: '/nowhere/to/be/found' });
    expect(end).toMatchObject({ exitCode: 127, startError: expect.stringContaining('ENOENT') });
  });

  it('that hangs is ended with all its processes, wherever they went', async () => {
    // One in its process group, one that left it.
    const end = await run(sh('sleep 600 & echo $!; setsid sleep 600 & echo $!; wait', 2_000));
    expect(end).toMatchObject({ exitCode: 137, wasCutOff: 'by its limit' });
    const pids = printed().trim().split('\n').map(Number);
    expect(pids).toHaveLength(2);
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  });

  it('that leaves a process is found out, and the process is ended', async () => {
    // In a new session before the job can end: otherwise it would be ended with the job's group.
    const script = 'setsid sh -c "sleep 601 >/dev/null 2>&1 & echo \\$!"; true';
    const leaving = { ...sh(script), endingLimitMs: 100 };
    const end = await run(leaving);
    const [pid = 0] = printed().trim().split('\n').map(Number);
    expect(end.left).toEqual([{ pid, command: expect.any(String) }]);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('that leaves a process with its own session and environment is found out by its parent', async () => {
    const script = 'env -i setsid sh -c "env -i setsid sleep 600 & echo \\$!; wait" & wait';
    const ended = run(sh(script, 1500));
    await expect.poll(() => printed()).toMatch(/^\d+\n$/);
    const pid = Number(printed());
    expect(isAlive(pid)).toBe(true);
    expect(await ended).toMatchObject({ wasCutOff: 'by its limit' });
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('whose log cannot be written reports that, and rejects nothing', async () => {
    const end = await run({ ...sh('echo a'), log: '/dev/null/log' });
    expect(end).toMatchObject({ exitCode: 127, startError: expect.stringContaining('/dev/null') });
  });

  it('is not started when the run was given up', async () => {
    const end = await run(sh('echo begun'), AbortSignal.abort());
    expect(end).toMatchObject({ wasCutOff: 'with the run', left: [] });
    expect(existsSync(path.join(folder, 'log'))).toBe(false);
  });

  it('that prints without end is ended before the disk is full', async () => {
    const end = await run({ ...sh('echo printed; exec sleep 600'), outputLimitBytes: 5 });
    expect(end).toMatchObject({ exitCode: 137, wasCutOff: 'by its output' });
  });

  it('ends with the run', async () => {
    const givenUp = new AbortController();
    const ended = run(sh('echo begun; sleep 600'), givenUp.signal);
    await expect.poll(() => printed()).toBe('begun\n');
    givenUp.abort();
    expect(await ended).toMatchObject({ exitCode: 137, wasCutOff: 'with the run' });
  });

  it('ends when the run is killed', async () => {
    const program = `
      import { runCommand } from ${JSON.stringify(path.join(import.meta.dirname, 'run-job.ts'))};
      await runCommand(${JSON.stringify(sh('echo $$; sleep 600'))}, new AbortController().signal);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program]);
    await expect.poll(() => printed()).toMatch(/^\d+\n$/);
    const pid = Number(printed());
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});
