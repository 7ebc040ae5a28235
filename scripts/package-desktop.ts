// `npm run package`: installers of the desktop for this platform, in release/. Further words go to electron-builder:
// `npm run package -- --linux dir` makes the unpacked application alone.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { copyRuntimeModules } from './package/runtime-modules.ts';
import { ownPlatform } from './package/platforms.ts';

const root = path.resolve(import.meta.dirname, '..');
const folder = path.join(root, '.cache/desktop-modules');
const builder = path.join(root, 'node_modules/electron-builder/cli.js');

rmSync(folder, { recursive: true, force: true });
const manifests = ['server', 'server/guests/js'];
copyRuntimeModules({ root, manifests, folder, platform: ownPlatform() });
const words = [
  '--projectDir',
  'electron',
  '--config',
  '../electron-builder.yml',
  '--publish',
  'never',
];
const { status } = spawnSync(process.execPath, [builder, ...words, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
