import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { reasonOf, ServiceError } from '../../errors/service-error.ts';
import { isThere } from './executable.ts';
import { findInstaller } from './python-installer.ts';
import { type CommandOptions, runCommand } from './run-command.ts';

export interface PythonLibsOptions {
  python: string;
  requirementsFile: string;
  cacheDir: string;
  environment: Record<string, string>;
  signal: AbortSignal;
  onProgress: (line: string) => void;
}

/** What compiled packages depend on: implementation, version and machine. */
const TAG = 'import sys, sysconfig; print(sys.implementation.cache_tag, sysconfig.get_platform())';

/**
 * A folder with the guest's own packages for this interpreter, installed at its first use and shared by all
 * services of this user. Rejects with `guest_unavailable` and one sentence.
 */
export async function preparePythonLibs(options: PythonLibsOptions): Promise<string> {
  const command: CommandOptions = {
    environment: options.environment,
    workingDirectory: path.dirname(options.requirementsFile),
    signal: options.signal,
  };
  const requirements = await readFile(options.requirementsFile, 'utf8');
  const parent = path.join(options.cacheDir, 'python-libs');
  try {
    const tag = await runCommand(options.python, ['-c', TAG], command);
    const hash = createHash('sha256').update(`${tag}\n${requirements}`).digest('hex').slice(0, 16);
    const target = path.join(parent, hash);
    if (await isThere(target)) return target;
    await mkdir(parent, { recursive: true });
    await install(options, command, { parent, target });
    return target;
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    const reason = reasonOf(cause);
    const sentence = `The Python guest's packages could not be installed: ${reason}`;
    throw new ServiceError('guest_unavailable', sentence, { cause });
  }
}

async function install(
  options: PythonLibsOptions,
  command: CommandOptions,
  { parent, target }: { parent: string; target: string },
): Promise<void> {
  const installer = await findInstaller(options.python, {
    ...command,
    onLine: (line) => options.onProgress(line),
  });
  if (!installer) {
    throw new ServiceError(
      'guest_unavailable',
      `${options.python} has no pip, and uv is not installed: the Python guest's packages cannot be installed.`,
    );
  }
  options.onProgress(`installing the Python guest's packages with ${installer.name}`);
  // The target appears only when complete: other services may install at the same time, or we may be killed.
  const unfinished = await mkdtemp(path.join(parent, 'unfinished-'));
  try {
    await installer.install(['--target', unfinished, '-r', options.requirementsFile]);
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!(await isThere(target))) throw error;
  }
}
