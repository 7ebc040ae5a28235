// Installs the packages that the suite compare needs into the cache, again when a manifest changes.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { adapterPackages, comparePackages, root } from './suites.ts';

const compare = path.join(root, 'server/test/compare');
install(path.join(compare, 'environment'), comparePackages);
install(path.join(compare, 'copilotkit'), adapterPackages);

/** Installs by the folder's lock, or by its manifest alone. */
function install(folder: string, target: string): void {
  const names = ['package.json', 'package-lock.json'].filter((name) =>
    existsSync(path.join(folder, name)),
  );
  const wanted = names.map((name) => readFileSync(path.join(folder, name), 'utf8')).join('');
  const stamp = path.join(target, '.installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const name of names) copyFileSync(path.join(folder, name), path.join(target, name));
  const command = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const how = names.length > 1 ? 'ci' : 'install';
  // Nothing here needs the scripts that packages would run.
  const words = [how, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync(command, words, {
    cwd: target,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error !== undefined) throw new Error('npm cannot be started', { cause: error });
  if (status !== 0) throw new Error(`npm ${how} ended with code ${status}`);
  writeFileSync(stamp, wanted);
}
