// A current build, which every project needs. Screens, Electron and browser are for the workers that use them.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const buildLimit = 15 * 60_000;

export default function globalSetup(): void {
  if (process.env['E2E_BUILT'] !== undefined) return;
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status } = spawnSync(npm, ['run', '--silent', 'build'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: buildLimit,
  });
  if (status !== 0) throw new Error(`npm run build ended with code ${status}`);
}
