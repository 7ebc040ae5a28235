import path from 'node:path';
import { findOnPath, isThere, pythonOf } from '../process/executable.ts';
import { findInterpreter, isMeantFor } from '../process/interpreter.ts';
import { reasonOf } from '../../errors/service-error.ts';
import { runCommand } from '../process/run-command.ts';
import {
  isFolder,
  markerOf,
  type MissingPackages,
  type PackagesQuestion,
  textOf,
} from './missing-packages.ts';

const projectFiles = ['pyproject.toml', 'setup.py', 'setup.cfg'];
const HAS_LANGGRAPH =
  'import importlib.util, sys; sys.exit(importlib.util.find_spec("langgraph") is None)';
/** Prints the dependencies of a project, without running its build. */
const PROJECT_DEPENDENCIES =
  'import sys, tomllib; print("\\n".join(tomllib.load(open(sys.argv[1], "rb")).get("project", {}).get("dependencies", [])))';

/**
 * Python agents need their own environment when the only interpreter is one of the machine without LangGraph. An
 * environment that the user made or activated stays unchanged, as does an interpreter that was chosen.
 */
export async function pythonPackages(question: PackagesQuestion): Promise<MissingPackages[]> {
  const { sourceDir, agents, environment } = question;
  if (!agents.some(({ language }) => language === 'python')) return [];
  const declared = await declaration(question);
  const isCutOff = await isThere(markerOf(sourceDir, 'python'));
  if (!isCutOff && (await hasEnvironment(question))) return [];
  const because = isCutOff
    ? 'The installation of the Python packages was cut off.'
    : declared === undefined
      ? 'There is no .venv, and no other Python with langgraph.'
      : `${declared} names Python packages, but there is no .venv.`;
  const missing = { language: 'python', directory: sourceDir, because } as const;
  const uv = await findOnPath('uv', environment);
  try {
    const commands = uv === undefined ? await withPip(question) : await withUv(uv, question);
    return [{ ...missing, commands }];
  } catch (error) {
    const needs = reasonOf(error);
    return [{ ...missing, commands: [], needs }];
  }
}

/** The source that names the needed packages; undefined if there is none. */
async function declaration({
  sourceDir,
  dependencies,
}: PackagesQuestion): Promise<string | undefined> {
  for (const name of ['uv.lock', ...projectFiles, 'requirements.txt']) {
    if (await isThere(path.join(sourceDir, name))) return name;
  }
  for (const dependency of dependencies) {
    if (!isFolder(dependency)) return 'The manifest';
    for (const name of [...projectFiles, 'requirements.txt']) {
      const file = path.join(dependency, name);
      if (await isThere(path.resolve(sourceDir, file))) return path.normalize(file);
    }
  }
  return undefined;
}

async function hasEnvironment(question: PackagesQuestion): Promise<boolean> {
  const { sourceDir, projectDirs = [], environment, signal, interpreter: override } = question;
  // A .venv would not be used.
  if (override !== undefined && isMeantFor('python', override)) return true;
  try {
    const asked = { sourceDir, projectDirs, environment, signal };
    const found = await findInterpreter('python', asked);
    if (found.from !== 'PATH') return true;
    const options = { environment, workingDirectory: sourceDir, signal };
    await runCommand(found.command, ['-c', HAS_LANGGRAPH], options);
    return true;
  } catch {
    return false;
  }
}

async function withUv(uv: string, question: PackagesQuestion): Promise<string[][]> {
  const { sourceDir, dependencies } = question;
  const venv = path.join(sourceDir, '.venv');
  const make = [uv, 'venv', ...(await wantedPython(question, '--python')), venv];
  // Without compiled modules `import langgraph` costs a second more at every start of a guest.
  const install = [uv, 'pip', 'install', '--compile-bytecode', '--python', pythonOf(venv)];
  const isLocked = await isThere(path.join(sourceDir, 'uv.lock'));
  const rest = isLocked ? dependencies.filter((name) => !isItself(name)) : orItself(dependencies);
  const named = await wordsFor(rest, question, (file) => Promise.resolve(['-r', file]));
  const wanted = isLocked ? named : orLangGraph(named);
  return [
    make,
    ...(isLocked ? [[uv, 'sync', '--frozen', '--no-dev', '--compile-bytecode']] : []),
    ...(wanted.length > 0 ? [[...install, ...wanted]] : []),
  ];
}

async function withPip(question: PackagesQuestion): Promise<string[][]> {
  const { sourceDir, environment, dependencies, signal } = question;
  const [, named] = await wantedPython(question, '');
  const python = named ?? (await findOnPath('python3', environment));
  if (python === undefined) throw new Error('Neither uv nor python3 is on PATH: install one.');
  const venv = path.join(sourceDir, '.venv');
  const options = { environment, workingDirectory: sourceDir, signal };
  const projectWords = async (file: string): Promise<string[]> =>
    (await runCommand(python, ['-c', PROJECT_DEPENDENCIES, file], options))
      .split('\n')
      .filter(Boolean);
  const wanted = orLangGraph(await wordsFor(orItself(dependencies), question, projectWords));
  const pip = [pythonOf(venv), '-m', 'pip', 'install', '--disable-pip-version-check', '--no-input'];
  const quiet = ['--progress-bar', 'off'];
  return [
    [python, '-m', 'venv', venv],
    [...pip, ...quiet, ...wanted],
  ];
}

/** The manifest's Python, if it is on PATH: `python_version` is for LangGraph's images, and optional here. */
async function wantedPython(
  { pythonVersion, environment }: PackagesQuestion,
  flag: string,
): Promise<string[]> {
  if (pythonVersion === undefined || !/^\d+\.\d+$/.test(pythonVersion)) return [];
  const found = await findOnPath(`python${pythonVersion}`, environment);
  return found === undefined ? [] : [flag, found];
}

/**
 * The arguments of `pip install` for the manifest's dependencies, as in LangGraph's own builds: a project is installed
 * in place, a folder with requirements.txt by that file, any other entry is a requirement.
 */
async function wordsFor(
  dependencies: readonly string[],
  { sourceDir }: PackagesQuestion,
  ofProject: (file: string) => Promise<string[]>,
): Promise<string[]> {
  const words: string[] = [];
  for (const dependency of dependencies) {
    if (dependency.startsWith('-'))
      throw new Error(`dependencies: "${dependency}" is an option of pip, not a package.`);
    if (isFolder(dependency))
      words.push(...(await wordsForFolder(path.resolve(sourceDir, dependency), ofProject)));
    else words.push(dependency);
  }
  return words;
}

async function wordsForFolder(
  folder: string,
  ofProject: (file: string) => Promise<string[]>,
): Promise<string[]> {
  const project = path.join(folder, 'pyproject.toml');
  const text = await textOf(project);
  // A project without a build system is not installed; its folder is on the import path anyway.
  if (text !== undefined && !/^\s*\[build-system\]/m.test(text)) return await ofProject(project);
  for (const name of projectFiles) {
    if (await isThere(path.join(folder, name))) return ['-e', folder];
  }
  const requirements = path.join(folder, 'requirements.txt');
  return (await isThere(requirements)) ? ['-r', requirements] : [];
}

/** Without it no agent can be loaded, also where nothing is named. */
function orLangGraph(words: readonly string[]): readonly string[] {
  return words.length > 0 ? words : ['langgraph'];
}

function isItself(dependency: string): boolean {
  return isFolder(dependency) && path.normalize(dependency).replace(/[/\\]$/, '') === '.';
}

function orItself(dependencies: readonly string[]): readonly string[] {
  return dependencies.length > 0 ? dependencies : ['.'];
}
