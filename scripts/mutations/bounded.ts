// Runs one command for a bounded time, and leaves nothing of it running.
import { spawn } from 'node:child_process';
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limitMs: number;
  /** Gets everything that it prints. */
  readonly logFile: string;
  /** Ends it; the call then rejects. */
  readonly signal: AbortSignal;
}

/** How it ended; `isOver`: its time was over first. */
export interface Ended {
  readonly code: number | null;
  readonly isOver: boolean;
}

/** What the environment of each process has that a command has started. */
const MARK = 'MUTATION_MARK';
const GRACE_MS = 3_000;

/** Runs a command in a process group of its own, which is ended after it, as is what has left the group. */
export async function runBounded(command: Command): Promise<Ended> {
  const { program, args, cwd, env, limitMs, logFile, signal } = command;
  signal.throwIfAborted();
  const mark = randomUUID();
  const log = createWriteStream(logFile);
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env, [MARK]: mark },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  let isOver = false;
  const limit = setTimeout(() => {
    isOver = true;
    signalGroup(child.pid, 'SIGKILL');
  }, limitMs);
  const onAbort = (): void => signalGroup(child.pid, 'SIGKILL');
  signal.addEventListener('abort', onAbort, { once: true });
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(127));
    child.once('exit', (exitCode) => resolve(exitCode));
  });
  clearTimeout(limit);
  signal.removeEventListener('abort', onAbort);
  // An engine or a guest whose parent is gone ends by itself, but not at once.
  const end = performance.now() + GRACE_MS;
  while (marked(mark).length > 0 && performance.now() < end) await pause(100);
  signalGroup(child.pid, 'SIGKILL');
  for (const pid of marked(mark)) kill(pid, 'SIGKILL');
  await new Promise<void>((resolve) => log.end(() => resolve()));
  signal.throwIfAborted();
  return { code, isOver };
}

/** The processes that a command has started, also those in groups of their own. Linux alone tells them. */
function marked(mark: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => environmentOf(pid).includes(`${MARK}=${mark}`))
    .map(Number);
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return ''; // gone, or somebody else's
  }
}

function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid !== undefined) kill(-pid, name);
}

function kill(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone already.
  }
}
