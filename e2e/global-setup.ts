// What every project needs: a current build, an Electron and a screen for it. Workers find both in the environment.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { startDisplay } from './fixtures/display.ts';
import { findElectron } from './fixtures/electron-runtime.ts';

const root = path.resolve(import.meta.dirname, '..');
const buildLimit = 15 * 60_000;

function build(): void {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status } = spawnSync(npm, ['run', '--silent', 'build'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: buildLimit,
  });
  if (status !== 0) throw new Error(`npm run build ended with code ${status}`);
}

export default async function globalSetup(): Promise<() => Promise<void>> {
  if (process.env['E2E_BUILT'] === undefined) build();
  const electron = findElectron();
  if ('missing' in electron) {
    const line = '!'.repeat(80);
    process.stderr.write(`\n${line}\nTHE DESKTOP IS NOT TESTED: ${electron.missing}\n${line}\n\n`);
    process.env['E2E_NO_DESKTOP'] = electron.missing;
    return () => Promise.resolve();
  }
  process.env['E2E_ELECTRON'] = electron.executable;
  const display = await startDisplay();
  if (display.name !== undefined) process.env['DISPLAY'] = display.name;
  return display.close;
}
