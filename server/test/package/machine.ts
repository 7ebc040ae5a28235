import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';

/** What a machine has that only knows Node and npm: no Go, no temporal, nothing of this repository. */
const PROGRAMS = ['node', 'npm', 'npx', 'sh', 'env'];

/** Makes a folder to be the whole PATH, with the machine's own Node and not the one of this repository. */
export function bareMachine(folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const program of PROGRAMS) symlinkSync(onPath(program), join(folder, program));
  return folder;
}

/** The machine's own program, as realpath. */
function onPath(program: string): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const own = folders.filter((folder) => !folder.split(sep).includes('node_modules'));
  const found = own.map((folder) => join(folder, program)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`There is no ${program} on PATH.`);
  return realpathSync(found);
}

/** The output of a command, once it has ended. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end; killed, with all its output, when it takes too long. */
export async function runToEnd(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; limitMs: number },
): Promise<Ended> {
  const { cwd, env, limitMs } = options;
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const child = spawn(command, args, { cwd, env, stdio: [...stdio], timeout: limitMs });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (bytes) => (text.stdout += String(bytes)));
  child.stderr.on('data', (bytes) => (text.stderr += String(bytes)));
  const [code] = (await once(child, 'close')) as [number | null]; // what node gives with it
  return { code, ...text };
}

/** As `runToEnd`, for what must work. */
export async function run(...call: Parameters<typeof runToEnd>): Promise<string> {
  const { code, stdout, stderr } = await runToEnd(...call);
  if (code === 0) return stdout;
  throw new Error(`${[call[0], ...call[1]].join(' ')} ended with ${code}:\n${stdout}\n${stderr}`);
}
