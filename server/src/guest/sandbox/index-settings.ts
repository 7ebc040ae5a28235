import path from 'node:path';
import { findOnPath, isThere } from '../process/executable.ts';
import type { Mount } from '../pool/guest-program.ts';
import { runCommand } from '../process/run-command.ts';
import { inside } from './inside.ts';

/** This machine's settings of package indexes for an installer in a sandbox. */
export interface IndexSettings {
  environment: Record<string, string>;
  /** Files that the settings name: certificates, folders with packages. */
  mounts: readonly Mount[];
}

/** The settings for reaching an index, without those of install locations or of the choice of packages. */
const pipKeys = new Set([
  ...['index-url', 'extra-index-url', 'find-links', 'no-index', 'trusted-host', 'cert', 'proxy'],
  ...['timeout', 'default-timeout', 'retries'],
]);
/** npm lists its defaults as if they were set: passed on, they would override the settings of the agents' folder. */
const npmDefaults: Readonly<Record<string, unknown>> = {
  registry: 'https://registry.npmjs.org/',
  'strict-ssl': true,
};
const npmKeys = ['registry', 'proxy', 'https-proxy', 'noproxy', 'strict-ssl', 'cafile'] as const;

/** uv's variables with pip's equivalents. */
const ofUv = {
  UV_DEFAULT_INDEX: 'PIP_INDEX_URL',
  UV_INDEX_URL: 'PIP_INDEX_URL',
  UV_EXTRA_INDEX_URL: 'PIP_EXTRA_INDEX_URL',
} as const;

interface Question {
  /** The user's environment, in which pip and npm are found. */
  userEnvironment: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

/**
 * The user's settings of pip's index, from variables and from pip's files. An index that needs a password has it in its
 * URL.
 */
export async function pythonIndex(question: Question): Promise<IndexSettings> {
  const { userEnvironment } = question;
  const listed = await ask(question, 'python3', ['-m', 'pip', 'config', 'list']);
  const found: Record<string, string> = {};
  for (const [from, to] of Object.entries(ofUv)) {
    const value = userEnvironment[from];
    if (value !== undefined) found[to] = value;
  }
  for (const line of listed.split('\n')) {
    const [, key = '', value = ''] = /^(?:global|install|:env:)\.([\w-]+)='(.*)'$/.exec(line) ?? [];
    // Line breaks in a setting are escaped.
    if (pipKeys.has(key)) found[variableOf('PIP', key)] ??= value.replaceAll('\\n', ' ').trim();
  }
  return await withFiles(found);
}

/** The same for npm, without its tokens: an installed package runs untrusted code. */
export async function javascriptIndex(question: Question): Promise<IndexSettings> {
  const text = await ask(question, 'npm', ['config', 'list', '--json']);
  const config: Record<string, unknown> = parsed(text);
  const found: Record<string, string> = {};
  for (const key of npmKeys) {
    const value = config[key];
    if (value === npmDefaults[key]) continue;
    if (typeof value === 'string' && value !== '') found[variableOf('npm_config', key)] = value;
    if (typeof value === 'boolean') found[variableOf('npm_config', key)] = String(value);
  }
  const { NODE_EXTRA_CA_CERTS: certificates } = question.userEnvironment;
  if (certificates !== undefined) found['NODE_EXTRA_CA_CERTS'] = certificates;
  return await withFiles(found);
}

function variableOf(prefix: string, key: string): string {
  const name = key.replaceAll('-', '_');
  return `${prefix}_${prefix === 'PIP' ? name.toUpperCase() : name}`;
}

/** Replaces paths of files by their paths in the sandbox, and mounts the files. */
async function withFiles(found: Readonly<Record<string, string>>): Promise<IndexSettings> {
  const mounts: Mount[] = [];
  const pathInside = async (word: string): Promise<string> => {
    if (!path.isAbsolute(word)) return word;
    if (!(await isThere(word))) return ''; // pip would only warn about it
    const known = mounts.find(({ from }) => from === word);
    if (known) return known.to;
    const to = path.posix.join(inside.index, `${mounts.length}`, path.basename(word));
    mounts.push({ from: word, to });
    return to;
  };
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(found)) {
    const words = await Promise.all(value.split(/\s+/).map(pathInside));
    const text = words.filter(Boolean).join(' ');
    if (text !== '') environment[name] = text;
  }
  return { environment, mounts };
}

/** The output of a program of the user; empty if it does not exist or fails. */
async function ask(
  { userEnvironment, signal }: Question,
  program: string,
  words: readonly string[],
): Promise<string> {
  const command = await findOnPath(program, userEnvironment);
  if (command === undefined) return '';
  try {
    const options = { environment: userEnvironment, workingDirectory: '/', signal };
    return await runCommand(command, words, options);
  } catch {
    return '';
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>; // npm's own output
  } catch {
    return {};
  }
}
