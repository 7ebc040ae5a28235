// Removes what the build made. `--all` also removes the caches (engine, Python environments), which take minutes to make.
import { rmSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const outputs = ['electron/dist', 'server/dist', 'release', 'coverage', '.cache/tsc'];
const caches = ['.cache', 'resources/engine', 'resources/policy'];

for (const folder of process.argv.includes('--all') ? [...outputs, ...caches] : outputs) {
  rmSync(path.join(root, folder), { recursive: true, force: true });
}
