import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { ServiceError } from '../errors/service-error.ts';
import { findOnPath, isExecutable, pythonOf } from './executable.ts';
import { findInstaller } from './python-installer.ts';
import { runCommand, type CommandOptions } from './run-command.ts';

export interface PythonEnvironmentOptions {
  environment: Record<string, string>;
  signal: AbortSignal;
  onProgress: (line: string) => void;
  /** The Python that the environment is made from; `python3` on the PATH when absent. */
  python?: string;
}

/** Says that an environment is ours, and what it was made from once it is complete. */
const STAMP = '.agent-runtime-environment';

/**
 * Makes `<agentDir>/.venv` with what `requirements.txt` or `pyproject.toml` asks for, and makes it anew when that
 * changes. Leaves an environment alone that somebody else made. Returns its Python; undefined when the folder asks
 * for no packages. Rejects with `guest_unavailable` and one sentence.
 */
export async function ensurePythonEnvironment(
  agentDir: string,
  options: PythonEnvironmentOptions,
): Promise<string | undefined> {
  const source = await findSource(agentDir);
  if (!source) return undefined;
  const directory = path.join(agentDir, '.venv');
  const python = pythonOf(directory);
  const stampFile = path.join(directory, STAMP);
  const stamp = await readOptional(stampFile);
  if (stamp === source.hash && (await isExecutable(python))) return python;
  if (stamp === undefined && (await isExecutable(python))) return python;
  if (stamp === undefined && existsSync(directory)) {
    throw new ServiceError(
      'guest_unavailable',
      `${directory} has no Python; remove it, and it is made anew.`,
    );
  }
  try {
    options.onProgress(`making the Python environment of ${agentDir} (once, about a minute)`);
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory);
    await writeFile(stampFile, 'unfinished');
    await build(agentDir, directory, source, options);
    await writeFile(stampFile, source.hash);
    return python;
  } catch (cause) {
    await rm(directory, { recursive: true, force: true });
    const reason = cause instanceof Error ? cause.message : 'unknown';
    const sentence = `The Python environment of ${agentDir} could not be made: ${reason}`;
    throw new ServiceError('guest_unavailable', sentence, { cause });
  }
}

interface Source {
  hash: string;
  /** Installs from the requirements file as it is, or from the dependencies of the project. */
  requirements: string;
}

async function findSource(agentDir: string): Promise<Source | undefined> {
  for (const name of ['requirements.txt', 'pyproject.toml']) {
    const requirements = path.join(agentDir, name);
    const text = await readOptional(requirements);
    if (text === undefined) continue;
    return { hash: createHash('sha256').update(text).digest('hex'), requirements };
  }
  return undefined;
}

async function build(
  agentDir: string,
  directory: string,
  source: Source,
  options: PythonEnvironmentOptions,
): Promise<void> {
  const { environment, signal, onProgress } = options;
  const command: CommandOptions = {
    environment,
    signal,
    workingDirectory: agentDir,
    onLine: onProgress,
  };
  const base = options.python ?? (await findOnPath('python3', environment));
  if (base === undefined) throw new Error('there is no python3 on PATH.');
  const uv = await findOnPath('uv', environment);
  if (uv === undefined) await runCommand(base, ['-m', 'venv', directory], command);
  else await runCommand(uv, ['venv', '--allow-existing', '--python', base, directory], command);
  const python = pythonOf(directory);
  const installer = await findInstaller(python, command);
  if (!installer) throw new Error('there is neither uv nor pip.');
  await installer.install(await packagesOf(source, python, command));
}

/** Of a project only its dependencies are wanted: its code runs from where it is. */
const DEPENDENCIES = `
import json, sys, tomllib
with open(sys.argv[1], "rb") as file:
    print(json.dumps(tomllib.load(file).get("project", {}).get("dependencies", [])))
`;

async function packagesOf(
  { requirements }: Source,
  python: string,
  { environment, workingDirectory, signal }: CommandOptions,
): Promise<string[]> {
  if (requirements.endsWith('.txt')) return ['-r', requirements];
  const quietly = { environment, workingDirectory, signal };
  const answer = await runCommand(python, ['-c', DEPENDENCIES, requirements], quietly);
  const packages: unknown = JSON.parse(answer);
  if (!Array.isArray(packages) || packages.length === 0) {
    throw new Error('pyproject.toml names no dependencies.');
  }
  return packages.map(String);
}

async function readOptional(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
}
