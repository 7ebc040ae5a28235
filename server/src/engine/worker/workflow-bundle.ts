import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const sources = join(here, '../..');
const isCheckout = import.meta.url.endsWith('.ts');

/**
 * The path of the workflow bundle. A package ships it; a checkout builds it (about a second) whenever the sources of
 * `workflows` or `model` have changed.
 */
export async function workflowBundle(onProgress: (step: string) => void): Promise<string> {
  if (!isCheckout) return join(sources, 'workflow-bundle.js');
  const path = join(sources, '../../.cache/workflows', `${await sourceHash()}.js`);
  if (existsSync(path)) return path;
  onProgress('Building the workflow bundle');
  await writeBundle(path);
  return path;
}

/** Builds the bundle into a file. Fails when workflow code imports a module that its sandbox lacks. */
export async function writeBundle(path: string): Promise<void> {
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const ignore = (): void => undefined;
  const logger = {
    log: ignore,
    trace: ignore,
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: ignore,
  };
  const { code } = await bundleWorkflowCode({
    preloadModules: await moduleFiles(),
    workflowsPath: join(
      sources,
      'workflows',
      isCheckout ? 'thread-workflow.ts' : 'thread-workflow.js',
    ),
    logger,
    // Lines without columns: a quarter of the size, and what is kept in memory is twice the bundle and its map.
    webpackConfigHook: (config) => ({ ...config, devtool: 'inline-cheap-module-source-map' }),
  });
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}`;
  await writeFile(partial, inAscii(withoutSources(code)));
  await rename(partial, path);
}

const MAP_MARK = '//# sourceMappingURL=data:application/json;charset=utf-8;base64,';

/**
 * Removes the sources' text from the bundle's source map: the map is kept in memory and still yields file and line.
 * Files are named relative to the folder of the checkout, since the bundle is shipped.
 */
function withoutSources(code: string): string {
  const at = code.lastIndexOf(MAP_MARK);
  if (at < 0) throw new Error('The workflow bundle has no source map of the expected form.');
  const text = Buffer.from(code.slice(at + MAP_MARK.length), 'base64').toString();
  // ECMA-426: an object with these members
  const { sourcesContent: _, ...map } = JSON.parse(text) as {
    sources: string[];
    sourcesContent?: unknown;
  };
  const root = join(sources, '../..');
  map.sources = map.sources.map((file) => (isAbsolute(file) ? relative(root, file) : file));
  return code.slice(0, at) + MAP_MARK + Buffer.from(JSON.stringify(map)).toString('base64');
}

/** V8 keeps a source in two bytes for each character when a single one of them is outside of Latin-1. */
export function inAscii(code: string): string {
  if (/\\[^\0-\x7f]/.test(code)) throw new Error('The workflow bundle escapes a character itself.');
  const escaped = (character: string): string =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return code.replaceAll(/[^\0-\x7f]/g, escaped);
}

/** Read at once: a hundred small files one by one would wait for a hundred turns of a process that is loading modules. */
async function sourceHash(): Promise<string> {
  const hash = createHash('sha256');
  const packageFile = fileURLToPath(import.meta.resolve('@temporalio/workflow/package.json'));
  for (const file of [fileURLToPath(import.meta.url), packageFile, ...(await moduleFiles())]) {
    hash.update(file).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}

/**
 * The modules of workflow code. None of them keeps state that differs between threads, so they are evaluated once for
 * all threads of a process instead of once for every execution.
 */
async function moduleFiles(): Promise<string[]> {
  const extension = isCheckout ? '.ts' : '.js';
  const folders = ['model', 'workflows'].map(async (room) => {
    const names = await readdir(join(sources, room), { recursive: true });
    const modules = names.filter((name) => name.endsWith(extension) && !name.includes('.test.'));
    return modules.sort().map((name) => join(sources, room, name));
  });
  return (await Promise.all(folders)).flat();
}
