import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface CommandOptions {
  environment: Record<string, string>;
  workingDirectory: string;
  signal: AbortSignal;
  /** Called with each line that the command writes. */
  onLine?: (line: string) => void;
}

/** How long after SIGTERM a command is killed. */
const KILL_AFTER_MS = 5_000;

/** A command that did not succeed: its exit and the last line of its stderr. */
export class CommandFailed extends Error {
  constructor(command: string, how: string, lastWords: string) {
    super(lastWords === '' ? `${command} ${how}` : `${command} ${how}: ${lastWords}`);
  }
}

/** Runs a command to its end and resolves with its stdout; rejects with CommandFailed. */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<string> {
  const child = spawn(command, args, {
    cwd: options.workingDirectory,
    env: options.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Package managers start further programs, which are all in its process group.
    detached: process.platform !== 'win32',
  });
  const unwatch = endWithSignal(child, options.signal);
  const output: string[] = [];
  let lastWords = '';
  createInterface({ input: child.stdout }).on('line', (line) => {
    output.push(line);
    options.onLine?.(line);
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.trim() !== '') lastWords = line.trim();
    options.onLine?.(line);
  });
  await new Promise<void>((resolve, reject) => {
    child.once('error', (error) => reject(new CommandFailed(command, 'failed', error.message)));
    child.once('close', (code, killedBy) => {
      if (code === 0 && !options.signal.aborted) resolve();
      else
        reject(
          new CommandFailed(command, `ended with ${killedBy ?? code ?? 'no code'}`, lastWords),
        );
    });
  }).finally(unwatch);
  return output.join('\n');
}

/** Ends the command and its group when the signal fires; returns a function that stops this. */
function endWithSignal(child: ChildProcess, signal: AbortSignal): () => void {
  const endGroup = (how: NodeJS.Signals): void => {
    if (child.pid === undefined) return;
    try {
      if (process.platform === 'win32') child.kill(how);
      else process.kill(-child.pid, how);
    } catch {
      // it has just ended
    }
  };
  let insist: NodeJS.Timeout | undefined;
  const end = (): void => {
    endGroup('SIGTERM');
    insist = setTimeout(() => endGroup('SIGKILL'), KILL_AFTER_MS);
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return () => {
    signal.removeEventListener('abort', end);
    clearTimeout(insist);
  };
}
