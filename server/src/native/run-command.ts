import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Options for running a command. */
export interface CommandOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  signal: AbortSignal;
  /** Milliseconds after which the command is killed. */
  limit: number;
  /** Receives every line of the command's standard error. */
  onLine?: (line: string) => void;
}

/** The result of a command; `code` is undefined when it could not be started or was killed. */
export interface CommandResult {
  code: number | undefined;
  stdout: string;
  stderr: string;
}

const keptCharacters = 100_000;

/** Runs a command to its end and never rejects; it is killed when the limit passes or the signal aborts. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { cwd, env, signal, limit, onLine }: CommandOptions,
): Promise<CommandResult> {
  const child = spawn(command, args, {
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(limit)]),
    killSignal: 'SIGKILL',
    windowsHide: true,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout = (stdout + text).slice(-keptCharacters);
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    stderr = `${stderr}${line}\n`.slice(-keptCharacters);
    onLine?.(line);
  });
  const code = await new Promise<number | undefined>((resolve) => {
    child.once('close', (exit) => resolve(exit !== null && exit >= 0 ? exit : undefined));
    // Without a process there is no 'close' event.
    child.on('error', (error) => {
      stderr += error.message;
      if (child.pid === undefined) resolve(undefined);
    });
  });
  return { code, stdout, stderr };
}
