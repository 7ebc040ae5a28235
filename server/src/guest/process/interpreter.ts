import path from 'node:path';
import { ServiceError } from '../../errors/service-error.ts';
import { findOnPath, isExecutable, isThere, pythonOf } from './executable.ts';
import type { GuestLanguage } from '../pool/guest-program.ts';
import { runCommand } from './run-command.ts';

export interface InterpreterQuestion {
  sourceDir: string;
  /** Further folders of the agents' projects, absolute. */
  projectDirs?: readonly string[];
  /** The value of `--interpreter`: a path, or a name on the PATH. */
  override?: string;
  environment: Record<string, string>;
  signal: AbortSignal;
}

/** The interpreter for a guest, and a short description of its source. */
export interface Interpreter {
  command: string;
  from: string;
}

type Lookup = (question: InterpreterQuestion) => Promise<Interpreter | undefined>;

/** Architecture, 7: the override, the agent's environment, the active one, PATH. Rejects with `guest_unavailable`. */
export async function findInterpreter(
  language: GuestLanguage,
  question: InterpreterQuestion,
): Promise<Interpreter> {
  if (question.override !== undefined && isMeantFor(language, question.override)) {
    return await overridden(question.override, question);
  }
  for (const lookup of lookups[language]) {
    const found = await lookup(question);
    if (found) return found;
  }
  const wanted = language === 'python' ? 'python3' : 'node';
  throw new ServiceError(
    'guest_unavailable',
    `There is no ${wanted} on PATH to run the agents with; install it or name one with --interpreter.`,
  );
}

/** One flag serves both languages of a manifest: a name like Node's means Node, any other Python. */
export function isMeantFor(language: GuestLanguage, override: string): boolean {
  const isNode = /^(node|nodejs|bun|deno)([-.\d]|$)/i.test(path.basename(override));
  return isNode === (language === 'javascript');
}

async function overridden(
  override: string,
  { environment }: InterpreterQuestion,
): Promise<Interpreter> {
  const isPath = override.includes('/') || override.includes(path.sep);
  const command = isPath ? path.resolve(override) : await findOnPath(override, environment);
  if (command !== undefined && (await isExecutable(command))) {
    return { command, from: '--interpreter' };
  }
  throw new ServiceError('guest_unavailable', `The interpreter ${override} cannot be executed.`);
}

const inFolder =
  (from: string, directoryOf: (question: InterpreterQuestion) => string | undefined): Lookup =>
  async (question) => {
    const directory = directoryOf(question);
    if (directory === undefined || directory === '') return undefined;
    const command = pythonOf(path.resolve(question.sourceDir, directory));
    return (await isExecutable(command)) ? { command, from } : undefined;
  };

/** A project of `dependencies` may have an environment instead of the agent folder. */
const inProject: Lookup = async ({ sourceDir, projectDirs = [] }) => {
  for (const directory of projectDirs) {
    const command = pythonOf(path.join(directory, '.venv'));
    const name = path.relative(sourceDir, directory);
    if (await isExecutable(command)) return { command, from: `.venv of ${name}` };
  }
  return undefined;
};

/** uv keeps the environment of all members of a workspace next to its lock file. */
const inWorkspace: Lookup = async ({ sourceDir }) => {
  for (let folder = path.dirname(sourceDir); ; folder = path.dirname(folder)) {
    const command = pythonOf(path.join(folder, '.venv'));
    const isWorkspace = await isThere(path.join(folder, 'uv.lock'));
    if (isWorkspace && (await isExecutable(command))) {
      return { command, from: `.venv of the workspace ${folder}` };
    }
    if (folder === path.dirname(folder)) return undefined;
  }
};

const fromPoetry: Lookup = async ({ sourceDir, environment, signal }) => {
  const poetry = await findOnPath('poetry', environment);
  if (poetry === undefined || !(await isThere(path.join(sourceDir, 'poetry.lock'))))
    return undefined;
  try {
    const options = { environment, workingDirectory: sourceDir, signal };
    const command = (await runCommand(poetry, ['env', 'info', '--executable'], options)).trim();
    return (await isExecutable(command)) ? { command, from: 'poetry environment' } : undefined;
  } catch {
    return undefined; // it has no environment yet
  }
};

const onPath =
  (...names: string[]): Lookup =>
  async ({ environment }) => {
    for (const name of names) {
      const command = await findOnPath(name, environment);
      if (command !== undefined) return { command, from: 'PATH' };
    }
    return undefined;
  };

const lookups: Record<GuestLanguage, Lookup[]> = {
  python: [
    inFolder('.venv of the agent', () => '.venv'),
    inProject,
    inFolder('uv environment', ({ environment }) => environment['UV_PROJECT_ENVIRONMENT']),
    inWorkspace,
    fromPoetry,
    inFolder('active environment', ({ environment }) => environment['VIRTUAL_ENV']),
    inFolder('conda environment', ({ environment }) => environment['CONDA_PREFIX']),
    onPath('python3', 'python'),
  ],
  javascript: [onPath('node')],
};
