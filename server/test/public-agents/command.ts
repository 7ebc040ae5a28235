import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly limitMs?: number;
}

/** An installation of many packages on a slow machine. */
const LIMIT_MS = 900_000;

/** Runs a command to its end; one that fails is an error with the end of its output. */
export async function run(
  command: string,
  words: readonly string[],
  options: CommandOptions = {},
): Promise<void> {
  await outputOf(command, words, options);
}

/** The same, with its standard output. */
export async function outputOf(
  command: string,
  words: readonly string[],
  { cwd, env = {}, limitMs = LIMIT_MS }: CommandOptions = {},
): Promise<string> {
  const child = spawn(command, words, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => (output = (output + bytes.toString()).slice(-4000)));
  }
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]; // what node gives
  if (code === 0) return stdout;
  const how = signal === null ? `ended with ${code}` : `was stopped by ${signal}`;
  throw new Error(`${command} ${words.join(' ')} ${how}:\n${output}`);
}
