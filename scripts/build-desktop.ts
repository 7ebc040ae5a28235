// `npm run build:desktop`: lays out what the desktop has as files, in .cache/desktop, as it lies beside the packaged
// application: the server package, compiled, since Electron's Node may strip no types, the engine and the program for images.
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { buildEngine } from '../server/src/engine/server/build-engine.ts';
import { buildImages, imagesLicences } from '../server/src/images/find-program.ts';
import { stageServerPackage } from './package/server-package.ts';

const root = path.resolve(import.meta.dirname, '..');
const target = path.join(root, '.cache/desktop');
const server = path.join(target, 'server');
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());

/** The newest time of a file or of anything in a folder; 0 for what is missing. */
function newestTime(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  const inside = readdirSync(file)
    .filter((name) => name !== 'node_modules' && name !== '__pycache__')
    .map((name) => newestTime(path.join(file, name)));
  return Math.max(found.mtimeMs, ...inside);
}

async function layOutServer(): Promise<void> {
  const sources = [
    ...['src', 'guests', 'proto', 'native/policy'],
    ...['openapi.json', 'package.json', 'tsconfig.build.json'],
  ];
  const newest = Math.max(...sources.map((name) => newestTime(path.join(root, 'server', name))));
  // Written last, so its time says that everything before it exists.
  const builtAt = newestTime(path.join(server, 'package.json'));
  if (builtAt > newest) return;
  rmSync(server, { recursive: true, force: true });
  await stageServerPackage({ root, folder: server, platforms: [] });
  // The desktop's window has the page itself.
  rmSync(path.join(server, 'studio'), { recursive: true, force: true });
}

/**
 * Packages of which the workspace's root has another version lie in the server's own folder: the compiled server, which is
 * elsewhere, finds them above itself. The packaged application has its own (`package-desktop.ts`).
 */
function linkModules(): void {
  const link = path.join(target, 'node_modules');
  rmSync(link, { recursive: true, force: true });
  // A junction, because links need an extra privilege on Windows.
  symlinkSync(path.join(root, 'server/node_modules'), link, 'junction');
}

async function layOutPrograms(): Promise<void> {
  const options = {
    checkout: root,
    signal: interrupted.signal,
    onProgress: (message: string) => console.error(`build:desktop: ${message}`),
  };
  const folder = path.join(target, 'engine', `${process.platform}-${process.arch}`);
  const images = await buildImages(options);
  const licences = path.join(path.dirname(images), imagesLicences);
  for (const file of [await buildEngine(options), images, licences]) {
    const copy = path.join(folder, path.basename(file));
    if (newestTime(copy) >= newestTime(file)) continue;
    mkdirSync(folder, { recursive: true });
    // Not into the file: it may be running.
    rmSync(copy, { force: true });
    copyFileSync(file, copy);
  }
}

/** The example agents, without what was installed beside them. */
function layOutExamples(): void {
  const folder = path.join(target, 'examples');
  rmSync(folder, { recursive: true, force: true });
  cpSync(path.join(root, 'examples'), folder, {
    recursive: true,
    filter: (file) => !leftOut.has(path.basename(file)),
  });
}

const leftOut = new Set(['.venv', 'node_modules', '__pycache__', 'ci', 'policies']);

layOutExamples();
await layOutServer();
linkModules();
await layOutPrograms();
