/**
 * `install-packages.ts <config.json>`: installs the agents' JavaScript packages inside a sandbox, with the npm
 * of the image. On a failure the last line on stderr is a sentence.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startEgressForwarder } from './egress-forwarder.ts';

interface Options {
  /** Folders with a package.json. */
  folders: string[];
  /** Where node_modules is to be. */
  target: string;
  /** Absent: it has its own network. */
  egress_socket?: string;
  egress_port?: number;
}

interface PackageFile {
  scripts?: unknown;
  dependencies?: Record<string, string>;
}

function giveUp(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

/** One project keeps its lock; of several the dependencies are put together. */
function prepare({ folders, target }: Options): 'ci' | 'install' {
  const [first = '', ...others] = folders;
  if (others.length > 0) {
    writePackageFile(target, { dependencies: united(folders) });
    return 'install';
  }
  // Its scripts are about its sources, which are not here.
  writePackageFile(target, { ...readPackageFile(first), scripts: {} });
  const npmrc = path.join(first, '.npmrc');
  if (existsSync(npmrc)) copyFileSync(npmrc, path.join(target, '.npmrc'));
  const locks = ['npm-shrinkwrap.json', 'package-lock.json'];
  const lock = locks.find((name) => existsSync(path.join(first, name)));
  if (lock === undefined) return 'install';
  copyFileSync(path.join(first, lock), path.join(target, lock));
  return 'ci';
}

function united(folders: readonly string[]): Record<string, string> {
  const all: Record<string, string> = {};
  for (const folder of folders) {
    for (const [name, range] of Object.entries(readPackageFile(folder).dependencies ?? {})) {
      if (all[name] !== undefined && all[name] !== range)
        giveUp(`The agents' package.json files ask for ${name} ${all[name]} and ${range}.`);
      all[name] = range;
    }
  }
  return all;
}

function readPackageFile(folder: string): PackageFile {
  const text = readFileSync(path.join(folder, 'package.json'), 'utf8');
  return JSON.parse(text) as PackageFile; // npm reports any other content
}

function writePackageFile(folder: string, content: PackageFile): void {
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(content));
}

const options = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Options; // our own host wrote it
const { egress_socket: socket, egress_port: port } = options;
if (socket !== undefined && port !== undefined) await startEgressForwarder({ socket, port });
mkdirSync(options.target, { recursive: true });
const cache = path.join(path.dirname(options.target), 'tmp');
const command = prepare(options);
const { status, error } = spawnSync(
  'npm',
  [command, '--omit=dev', '--no-audit', '--no-fund', '--no-progress', '--no-update-notifier'],
  { cwd: options.target, stdio: 'inherit', env: { ...process.env, npm_config_cache: cache } },
);
rmSync(cache, { recursive: true, force: true });
if (error) giveUp(`There is no npm in the image to install packages with (${error.message}).`);
mkdirSync(path.join(options.target, 'node_modules'), { recursive: true });
process.exit(status ?? 1);
