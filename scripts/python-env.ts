// Python environments for tests and examples, made once and kept until their requirements change.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface PythonEnvironment {
  /** The folder the environment is made in. */
  readonly folder: string;
  /** Requirements files; the environment is made again when one of them changes. */
  readonly requirements: readonly string[];
}

/** The interpreter of an environment. */
export function interpreterOf(folder: string): string {
  return process.platform === 'win32'
    ? path.join(folder, 'Scripts/python.exe')
    : path.join(folder, 'bin/python');
}

/** Makes the environment if it is missing, half-made or out of date, and returns its interpreter. One without our stamp is kept. */
export function preparePython({ folder, requirements }: PythonEnvironment): string {
  const interpreter = interpreterOf(folder);
  const stamp = path.join(folder, '.requirements-hash');
  const unfinished = `${folder}.unfinished`;
  const wanted = hashOf(requirements);
  if (existsSync(interpreter) && !existsSync(unfinished)) {
    // Without a stamp this script did not make it.
    if (!existsSync(stamp) || readFileSync(stamp, 'utf8') === wanted) return interpreter;
  }
  const started = performance.now();
  console.log(`Python environment ${folder}: installing ${requirements.join(', ')}`);
  mkdirSync(path.dirname(folder), { recursive: true });
  writeFileSync(unfinished, '');
  rmSync(folder, { recursive: true, force: true });
  const files = requirements.flatMap((file) => ['-r', file]);
  if (isInstalled('uv')) {
    run('uv', ['venv', '--quiet', folder]);
    // Without compiled modules `import langgraph` costs a second more at every start of a guest.
    const install = ['pip', 'install', '--quiet', '--compile-bytecode', '--python', interpreter];
    run('uv', [...install, ...files]);
  } else {
    run('python3', ['-m', 'venv', folder]);
    const quiet = ['--quiet', '--disable-pip-version-check'];
    run(interpreter, ['-m', 'pip', 'install', ...quiet, '--compile', ...files]);
  }
  writeFileSync(stamp, wanted);
  rmSync(unfinished);
  console.log(`Python environment ready in ${Math.round((performance.now() - started) / 1000)} s`);
  return interpreter;
}

function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

function isInstalled(command: string): boolean {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;
}

function run(command: string, args: readonly string[]): void {
  const { PYTHONDONTWRITEBYTECODE: _, ...env } = process.env;
  const { status, error } = spawnSync(command, args, {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error !== undefined) throw new Error(`${command} cannot be started`, { cause: error });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with code ${status}`);
}
