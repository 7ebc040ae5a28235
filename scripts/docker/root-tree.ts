import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import path from 'node:path';

/** Runs a program to its end; throws when it fails. */
export function run(command: string, args: readonly string[], env = process.env): void {
  const { status, error } = spawnSync(command, args, { env, stdio: ['ignore', 2, 2] });
  if (error !== undefined) throw new Error(`${command} cannot be started`, { cause: error });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}

/** Makes what the image begins with: Debian's packages, Node as `FROM` has it, and this machine's way to registries. */
export function makeRootTree(tree: string): void {
  run('debootstrap', ['--variant=minbase', 'bookworm', tree, 'http://deb.debian.org/debian']);
  const local = path.join(tree, 'usr/local');
  copyFileSync(realpathSync(process.execPath), path.join(local, 'bin/node'));
  const npm = machinesNpm();
  mkdirSync(path.join(local, 'lib/node_modules'), { recursive: true });
  cpSync(npm, path.join(local, 'lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx']) {
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, path.join(local, 'bin', name));
  }
  copyFileSync('/etc/resolv.conf', path.join(tree, 'etc/resolv.conf'));
  mkdirSync(path.join(tree, 'certificates'));
  copyFileSync(certificates(), path.join(tree, 'certificates/ca.crt'));
}

/** The variables by which npm and pip in the tree trust whom this machine trusts. */
export const trust = {
  NODE_EXTRA_CA_CERTS: '/certificates/ca.crt',
  PIP_CERT: '/certificates/ca.crt',
};

function certificates(): string {
  return process.env['NODE_EXTRA_CA_CERTS'] ?? '/etc/ssl/certs/ca-certificates.crt';
}

/** The folder of the npm that runs this script. */
function machinesNpm(): string {
  const script = process.env['npm_execpath'];
  if (script === undefined) throw new Error('Start this through npm.');
  return path.resolve(realpathSync(script), '../..');
}
