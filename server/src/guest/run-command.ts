import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface CommandOptions {
  environment: Record<string, string>;
  workingDirectory: string;
  signal: AbortSignal;
  /** What the command says while it works. */
  onLine?: (line: string) => void;
}

/** A command that did not succeed: its exit and its last words. */
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
    signal: options.signal,
  });
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
      if (code === 0) resolve();
      else
        reject(
          new CommandFailed(command, `ended with ${killedBy ?? code ?? 'no code'}`, lastWords),
        );
    });
  });
  return output.join('\n');
}
