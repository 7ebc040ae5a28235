// The npm packages that the packaged service loads, and of them only what it loads on its platform.
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Platform } from '../../server/src/native/platform-package.ts';

interface Manifest {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** Only the command line, only a download of another engine, only types. */
const unused = /^(commander|@temporalio\/testing|@types\/.*)$/;

/** What no program loads, whichever package it is in. */
const dead =
  /\.(d\.[cm]?ts|map|md|markdown|flow|tsbuildinfo|gyp)$|\/(test|tests|__tests__|docs|example|examples|benchmark|\.github)$/;

/** Native files for other platforms, sources of native modules, and spare copies of a browser's file. */
const partsOf: Readonly<Record<string, (inside: string, platform: Platform) => boolean>> = {
  '@temporalio/core-bridge': (inside, platform) =>
    /^(sdk-core|src|bridge-macros|scripts|ts|Cargo.*)(\/|$)/.test(inside) ||
    (/^releases\/[^/]+$/.test(inside) && !inside.endsWith(rustTarget(platform))),
  'better-sqlite3': (inside, { os, cpu }) =>
    /^(deps|src)(\/|$)/.test(inside) ||
    (/^prebuilds\/.+/.test(inside) && !inside.endsWith(`/${os}-${cpu}.node`)),
  'swagger-ui-dist': (inside) =>
    /^swagger-ui(-es-bundle.*|-standalone.*)?\.js$|^log\./.test(inside),
};

function rustTarget({ os, cpu }: Platform): string {
  const machine = cpu === 'arm64' ? 'aarch64' : 'x86_64';
  if (os === 'darwin') return `${machine}-apple-darwin`;
  return os === 'win32' ? `${machine}-pc-windows-msvc` : `${machine}-unknown-linux-gnu`;
}

/** Copies the packages that the named manifests depend on, as deep as that goes, into `<folder>/node_modules`. */
export function copyRuntimeModules(options: {
  root: string;
  manifests: readonly string[];
  folder: string;
  platform: Platform;
}): void {
  const { root, manifests, folder, platform } = options;
  const found = new Map<string, string>();
  for (const manifest of manifests) collect(path.join(root, manifest), found);
  for (const [source, name] of found) {
    const isDead = partsOf[name] ?? (() => false);
    cpSync(source, path.join(folder, path.relative(root, source)), {
      recursive: true,
      dereference: true,
      filter(file) {
        const inside = path.relative(source, file).replaceAll('\\', '/');
        if (inside === '') return true;
        // Nested packages have their own turn.
        if (inside === 'node_modules' || isDead(inside, platform)) return false;
        return !dead.test(`/${inside}`) || (statSync(file).isDirectory() && isCode(inside));
      },
    });
  }
}

/** Some packages have code in folders of these names. */
function isCode(inside: string): boolean {
  return /^(dist|lib|build)\//.test(inside);
}

function collect(packageFolder: string, found: Map<string, string>): void {
  const file = path.join(packageFolder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest; // npm checked it when it installed
  const { dependencies, optionalDependencies, peerDependencies } = manifest;
  const wanted = { ...peerDependencies, ...optionalDependencies, ...dependencies };
  for (const name of Object.keys(wanted)) {
    const location = unused.test(name) ? undefined : locate(name, packageFolder);
    // Missing: another platform's, or a peer that is not installed.
    if (location === undefined || found.has(location)) continue;
    found.set(location, name);
    collect(location, found);
  }
}

/** Where Node finds a package from a folder. */
function locate(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'node_modules', name);
    if (existsSync(path.join(candidate, 'package.json'))) return candidate;
    if (folder === path.dirname(folder)) return undefined;
  }
}
