import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { workflowBundle } from '../../server/src/engine/worker/workflow-bundle.ts';
import { enginePackageName, type Platform } from '../../server/src/native/platform-package.ts';
import { buildStudio, isStudioFresh } from '../studio.ts';
import { buildEvaluator } from '../../server/src/policy/rego/build-evaluator.ts';
import { evaluatorFolder } from '../../server/src/policy/rego/find-evaluator.ts';
import { nodePackageName } from './platforms.ts';

export interface ServerStage {
  root: string;
  folder: string;
  /** The platforms whose engine and Node the package asks for. */
  platforms: readonly Platform[];
}

/** What the package has as it is in the checkout, from server/. Guests and the contract are files, never imported. */
const asTheyAre = [
  'bin',
  'openapi.json',
  'proto/guest/v1/guest.proto',
  'guests/python/agent_runtime_guest',
  'guests/python/start_agent_runtime_guest.py',
  'guests/python/install_packages.py',
  'guests/python/requirements.txt',
  'guests/python/requirements-debugpy.txt',
  'guests/python/requirements-pydevd.txt',
];

/** The licence keys; those of tests stay here. */
const keys = ['public-key.jwk.json', 'community.key'];

/** Lays out the server package: compiled, because Node strips no types below node_modules. */
export async function stageServerPackage({ root, folder, platforms }: ServerStage): Promise<void> {
  const server = path.join(root, 'server');
  mkdirSync(folder, { recursive: true });
  compile(root, 'server/tsconfig.build.json', path.join(folder, 'dist'));
  compile(root, 'server/guests/js/tsconfig.build.json', path.join(folder, 'guests/js/src'));
  const bundle = await workflowBundle((step) => console.error(`package:server: ${step}`));
  copyFileSync(bundle, path.join(folder, 'dist/workflow-bundle.js'));
  await addEvaluator(root, path.join(folder, evaluatorFolder));
  for (const entry of asTheyAre) {
    cpSync(path.join(server, entry), path.join(folder, entry), {
      recursive: true,
      filter: (file) => !/__pycache__|\.pyc$/.test(file),
    });
  }
  mkdirSync(path.join(folder, 'dist/license/keys'), { recursive: true });
  for (const key of keys) {
    const file = `license/keys/${key}`;
    copyFileSync(path.join(server, 'src', file), path.join(folder, 'dist', file));
  }
  addStudio(root, folder);
  for (const file of ['LICENSE', 'CHANGELOG.md']) {
    copyFileSync(path.join(root, file), path.join(folder, file));
  }
  copyFileSync(path.join(import.meta.dirname, 'README.md'), path.join(folder, 'README.md'));
  const text = readFileSync(path.join(server, 'package.json'), 'utf8');
  const manifest = packedManifest(JSON.parse(text) as SourceManifest, platforms); // our own file
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** One file for every platform. */
async function addEvaluator(root: string, folder: string): Promise<void> {
  const built = await buildEvaluator({
    checkout: root,
    signal: new AbortController().signal,
    onProgress: (step) => console.error(`package:server: ${step}`),
  });
  cpSync(built, folder, { recursive: true });
}

function addStudio(root: string, folder: string): void {
  if (!isStudioFresh() && !buildStudio()) throw new Error('The studio could not be built.');
  cpSync(path.join(root, 'electron/dist/renderer'), path.join(folder, 'studio'), {
    recursive: true,
  });
}

function compile(root: string, project: string, outDir: string): void {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', path.join(root, project), '--outDir', outDir];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`${project} could not be compiled.`);
}

interface SourceManifest {
  version: string;
  dependencies: Record<string, string>;
  [member: string]: unknown;
}

/** The manifest as it is published: no workspace members, and what differs by platform as optional dependencies. */
function packedManifest(
  { devDependencies: _, ...source }: SourceManifest,
  platforms: readonly Platform[],
): object {
  const node = nodeVersion();
  const optionalDependencies = Object.fromEntries(
    platforms.flatMap((platform) => [
      [enginePackageName(platform), source.version],
      [nodePackageName(platform), node],
    ]),
  );
  return {
    ...source,
    // With the Node that it brings; see bin/brought-node.js.
    engines: { node: '>=20.20' },
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    optionalDependencies,
  };
}

/** The release that this repository is tested on. */
function nodeVersion(): string {
  return process.versions.node;
}
