// Installs the packages of server/test/compare/environment into the cache, again when its manifest changes.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { comparePackages, root } from './suites.ts';

const manifest = path.join(root, 'server/test/compare/environment/package.json');
const stamp = path.join(comparePackages, '.installed');
const wanted = readFileSync(manifest, 'utf8');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  rmSync(comparePackages, { recursive: true, force: true });
  mkdirSync(comparePackages, { recursive: true });
  copyFileSync(manifest, path.join(comparePackages, 'package.json'));
  const command = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  // Its server needs none of the scripts that packages would run.
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync(command, words, {
    cwd: comparePackages,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error !== undefined) throw new Error('npm cannot be started', { cause: error });
  if (status !== 0) throw new Error(`npm install ended with code ${status}`);
  writeFileSync(stamp, wanted);
}
