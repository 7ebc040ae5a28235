// `npm run build:desktop`: lays out what the desktop has as files, in .cache/desktop, as it lies beside the packaged
// application: the server package, compiled, since Electron's Node may strip no types, and the engine.
import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { buildEngine } from '../server/src/engine/server/build-engine.ts';
import { stageServerPackage } from './package/server-package.ts';

const root = path.resolve(import.meta.dirname, '..');
const target = path.join(root, '.cache/desktop');
const server = path.join(target, 'server');
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());

/** The newest time of a file or of anything in a folder; 0 for what is missing. */
function newestTime(place: string): number {
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  const inside = readdirSync(place)
    .filter((name) => name !== 'node_modules' && name !== '__pycache__')
    .map((name) => newestTime(path.join(place, name)));
  return Math.max(found.mtimeMs, ...inside);
}

async function layOutServer(): Promise<void> {
  const sources = [
    ...['src', 'guests', 'proto', 'native/policy'],
    ...['openapi.json', 'package.json', 'tsconfig.build.json'],
  ];
  const newest = Math.max(...sources.map((name) => newestTime(path.join(root, 'server', name))));
  // Written last, so its time says that everything before it is there.
  const builtAt = newestTime(path.join(server, 'package.json'));
  if (builtAt > newest) return;
  rmSync(server, { recursive: true, force: true });
  await stageServerPackage({ root, folder: server, platforms: [] });
  // The desktop's window has the page itself.
  rmSync(path.join(server, 'studio'), { recursive: true, force: true });
}

async function layOutEngine(): Promise<void> {
  const engine = await buildEngine({
    checkout: root,
    signal: interrupted.signal,
    onProgress: (message) => console.error(`build:desktop: ${message}`),
  });
  const folder = path.join(target, 'engine', `${process.platform}-${process.arch}`);
  const copy = path.join(folder, path.basename(engine));
  if (newestTime(copy) >= newestTime(engine)) return;
  rmSync(path.join(target, 'engine'), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFileSync(engine, copy);
}

await layOutServer();
await layOutEngine();
