/*
 * Packages of agents (`guest/packages/`, composed by `agent-packages.ts`): before a start the command line and the
 * desktop's service process look for packages that the folder names and that are not installed. The search changes
 * nothing and queries no registry; an installation runs the commands that were shown, in a process group that ends with
 * the start.
 *
 * A marker file beside the environment records that it is being created: an interrupted one is created again, and
 * nothing else is ever removed.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { reasonOf, ServiceError } from '../../errors/service-error.ts';
import { runCommand } from '../process/run-command.ts';
import { markerOf, type MissingPackages, type PackagesQuestion } from './missing-packages.ts';
import { javascriptPackages } from './javascript-packages.ts';
import { pythonPackages } from './python-packages.ts';

/** How long all commands of one language may take together. */
export const INSTALL_LIMIT_MS = 30 * 60_000;

export interface InstallOptions {
  environment: Record<string, string>;
  signal: AbortSignal;
  /** Receives the output of the package managers, line by line. */
  onProgress: (line: string) => void;
  limitMs?: number;
}

/**
 * Installs the missing packages into the agent folder. Rejects with `guest_unavailable` and the last line of the
 * command; an incomplete installation keeps its marker file, and the next call repeats it.
 */
export async function installPackages(
  missing: MissingPackages,
  { environment, signal, onProgress, limitMs = INSTALL_LIMIT_MS }: InstallOptions,
): Promise<void> {
  if (missing.needs !== undefined) throw failure(missing, missing.needs);
  const { directory, commands, language } = missing;
  const marker = markerOf(directory, language);
  await claim(missing, marker);
  const limit = AbortSignal.timeout(limitMs);
  const options = {
    environment: ownEnvironment(environment),
    workingDirectory: directory,
    signal: AbortSignal.any([signal, limit]),
    onLine: onProgress,
  };
  try {
    for (const [command = '', ...words] of commands) await runCommand(command, words, options);
  } catch (error) {
    const reason = reasonOf(error);
    throw failure(
      missing,
      limit.aborted ? `it took more than ${limitMs / 60_000} minutes` : reason,
    );
  }
  await rm(marker, { force: true });
  onProgress(`The ${language} packages are installed.`);
}

/** Allows one installation at a time; removes an incomplete environment. */
async function claim(missing: MissingPackages, marker: string): Promise<void> {
  const { directory, language } = missing;
  try {
    // Created exclusively: only one of two simultaneous installations succeeds, and no link is followed.
    if (await isMade(marker)) return;
    const text = await readFile(marker, 'utf8').catch(() => '');
    const other = Number(text);
    const isElsewhere = other !== process.pid && isAlive(other);
    if (text === '' || (other > 0 && isElsewhere)) {
      const who = text === '' ? 'another process' : `process ${other}`;
      throw new Error(`${who} is installing them (if it is not, remove ${marker})`);
    }
    await rm(marker);
    // Only the environment of our own interrupted installation: any other belongs to the user.
    const isOurs = other > 0 && language === 'python';
    if (isOurs) await rm(path.join(directory, '.venv'), { recursive: true, force: true });
    if (!(await isMade(marker))) throw new Error('another process has just begun to install them');
  } catch (error) {
    throw failure(missing, reasonOf(error));
  }
}

/** Creates the marker; false if it exists already. */
async function isMade(marker: string): Promise<boolean> {
  try {
    await writeFile(marker, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function failure({ language, directory }: MissingPackages, reason: string): ServiceError {
  const name = language === 'python' ? 'Python' : 'JavaScript';
  const sentence = `The ${name} packages of ${directory} could not be installed: ${reason}`;
  return new ServiceError('guest_unavailable', sentence);
}

/** Without the variables that npm sets for its children: another npm would treat them as its own settings. */
function ownEnvironment(environment: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(npm_|INIT_CWD$)/i.test(name)),
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The packages that the agent folder names and that are not installed. Changes nothing and queries no registry. */
export async function findMissingPackages(
  question: PackagesQuestion,
): Promise<readonly MissingPackages[]> {
  const [python, javascript] = await Promise.all([
    pythonPackages(question),
    javascriptPackages(question),
  ]);
  return [...python, ...javascript];
}
