import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { communityKey } from '../../src/license/verify-license.ts';
import { bareMachine, run } from './machine.ts';

const root = resolve(import.meta.dirname, '../../..');
const examples = join(root, 'examples');

/** Packing and installing take half a minute each on a calm machine, ten times that on a busy one. */
const STEP_LIMIT_MS = 900_000;

/** A user's project with agents, into which the packed server was installed. */
export interface InstalledProject {
  folder: string;
  /** The folder that is its whole PATH. */
  bin: string;
  /** Of the user who works in it. */
  env: NodeJS.ProcessEnv;
}

/** Packs the server as it is released; returns the tarballs. */
export async function packServer(out: string): Promise<string[]> {
  const words = [join(root, 'scripts/package-server.ts'), '--out', out];
  await run(process.execPath, words, { cwd: root, env: process.env, limitMs: STEP_LIMIT_MS });
  return readdirSync(out).map((name) => join(out, name));
}

/** Installs tarballs into an empty folder with some of the example agents, as npm does it with what the registry has. */
export async function installProject(
  parent: string,
  tarballs: readonly string[],
): Promise<InstalledProject> {
  const folder = join(parent, 'project');
  mkdirSync(folder, { recursive: true });
  for (const file of ['chat.py', 'model.py', 'approval.py', 'triage.ts', 'model.ts']) {
    copyFileSync(join(examples, file), join(folder, file));
  }
  writeJson(join(folder, 'agent.json'), {
    graphs: {
      chat: './chat.py:graph',
      approval: './approval.py:graph',
      triage: './triage.ts:graph',
    },
  });
  const { overrides } = readManifest(join(root, 'package.json'));
  const { dependencies } = readManifest(join(examples, 'package.json'));
  writeJson(join(folder, 'package.json'), {
    private: true,
    type: 'module',
    dependencies,
    overrides,
  });
  const bin = bareMachine(join(parent, 'bin'));
  const env = userEnvironment(bin);
  const words = ['install', '--no-audit', '--no-fund', '--prefer-offline', ...tarballs];
  await run(join(bin, 'npm'), words, { cwd: folder, env, limitMs: STEP_LIMIT_MS });
  return { folder, bin, env };
}

/** The environment without what npm and vitest added to it. */
function userEnvironment(bin: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_)|VITEST|NODE_|GO|INIT_CWD$)/.test(name),
  );
  return { ...Object.fromEntries(kept), PATH: bin, SERVICE_LICENSE_KEY: communityKey() };
}

function readManifest(file: string): { dependencies?: object; overrides?: object } {
  return JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof readManifest>; // our own file
}

function writeJson(file: string, value: object): void {
  writeFileSync(file, JSON.stringify(value, undefined, 2));
}
