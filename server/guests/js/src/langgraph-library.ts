import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, parse, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint';
import { passOnListNamespaces, type BatchedStoreClass } from './batched-store.ts';
import { snapshotDeltaChannels, type DeltaChannelClass } from './delta-channels.ts';

export type Serializer = BaseCheckpointSaver['serde'];

/** What we use of the agent's own copy of LangGraph. A second copy would make values that the agent's does not know. */
export interface LangGraphLibrary {
  version: string;
  /** The folder of the package. */
  directory: string;
  BaseCheckpointSaver: typeof BaseCheckpointSaver;
  BaseStore: typeof BaseStore;
  makeSerializer(): Serializer;
  makeCommand(fields: Record<string, unknown>): unknown;
  makeSend(node: string, input: unknown): unknown;
  /** What sets a channel past its reducer; undefined where this version has nothing of the kind. */
  makeOverwrite: ((value: unknown) => unknown) | undefined;
  addMessages(before: unknown, more: unknown): unknown;
  /** The id of a question that is asked in a namespace; undefined where this version's rule is not known. */
  loadInterruptIds(): Promise<((namespace: string) => string) | undefined>;
  /** What makes JSON schemas of a graph; empty where this version has nothing of the kind. */
  loadSchemas(): Promise<Record<string, (graph: unknown) => unknown>>;
}

interface LangGraphExports {
  BaseCheckpointSaver: typeof BaseCheckpointSaver;
  BaseStore: typeof BaseStore;
  MemorySaver: new () => BaseCheckpointSaver;
  Command: new (fields: Record<string, unknown>) => unknown;
  Send: new (node: string, input: unknown) => unknown;
  Overwrite?: new (value: unknown) => unknown;
  messagesStateReducer: (before: unknown, more: unknown) => unknown;
  DeltaChannel?: DeltaChannelClass;
  AsyncBatchedStore?: BatchedStoreClass;
}

const packageName = '@langchain/langgraph';
const loaded = new Map<string, Promise<LangGraphLibrary>>();

/** Loads the copy of LangGraph that the given module sees, in the module system that the module uses. */
export async function loadLangGraph(agentFile: string): Promise<LangGraphLibrary> {
  const directory = findPackage(agentFile);
  if (directory === undefined) {
    throw new Error(
      `${packageName} is not installed for ${agentFile}: no node_modules above it has the package.`,
    );
  }
  const key = `${isCommonJs(agentFile) ? 'cjs' : 'esm'}:${directory}`;
  let library = loaded.get(key);
  if (library === undefined) {
    library = importLibrary(agentFile, directory);
    loaded.set(key, library);
  }
  return library;
}

async function importLibrary(agentFile: string, directory: string): Promise<LangGraphLibrary> {
  const manifest = readManifest(directory);
  const load = (subpath: string): Promise<unknown> =>
    isCommonJs(agentFile)
      ? Promise.resolve(createRequire(agentFile)(posix.join(packageName, subpath)))
      : import(entryUrl(directory, manifest, subpath));
  const exports = (await load('.')) as LangGraphExports; // its package tells the types
  const { Overwrite } = exports;
  if (exports.AsyncBatchedStore !== undefined) passOnListNamespaces(exports.AsyncBatchedStore);
  if (exports.DeltaChannel !== undefined) snapshotDeltaChannels(exports.DeltaChannel);
  return {
    version: typeof manifest['version'] === 'string' ? manifest['version'] : '',
    directory,
    BaseCheckpointSaver: exports.BaseCheckpointSaver,
    BaseStore: exports.BaseStore,
    makeSerializer: () => new exports.MemorySaver().serde,
    makeCommand: (fields) => new exports.Command(fields),
    makeSend: (node, input) => new exports.Send(node, input),
    makeOverwrite: Overwrite && ((value) => new Overwrite(value)),
    addMessages: (before, more) => exports.messagesStateReducer(before, more),
    loadInterruptIds: async () => {
      try {
        // A file that the package does not export: a function without state, so this build of it serves both.
        const file = pathToFileURL(join(directory, 'dist', 'hash.js')).href;
        const { XXH3 } = (await import(file)) as { XXH3?: (text: string) => string }; // used only when it is there
        return XXH3;
      } catch {
        return undefined;
      }
    },
    loadSchemas: async () => {
      try {
        return (await load('./zod/schema')) as Record<string, (graph: unknown) => unknown>; // its package says so
      } catch {
        return {};
      }
    },
  };
}

/** Node's own resolver answers only for the module at hand; from elsewhere its rule is this walk upwards. */
function findPackage(file: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', packageName);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (folder === parse(folder).root) return undefined;
  }
}

function entryUrl(directory: string, manifest: Record<string, unknown>, subpath: string): string {
  let entry: unknown = manifest['exports'];
  for (const condition of [subpath, 'import', 'default']) {
    if (isRecord(entry) && condition in entry) entry = entry[condition];
  }
  if (typeof entry !== 'string') throw new Error(`${packageName} has no entry "${subpath}".`);
  return pathToFileURL(join(directory, entry)).href;
}

/** A module that Node loads with require sees the package's other build. */
function isCommonJs(file: string): boolean {
  const extension = extname(file);
  if (extension === '.cjs' || extension === '.cts') return true;
  if (extension === '.mjs' || extension === '.mts') return false;
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) {
      if (readManifest(folder)['type'] === 'module') return false;
      break;
    }
    if (folder === parse(folder).root) break;
  }
  // Without a "type" the syntax decides: what require has loaded is in its cache.
  const require = createRequire(file);
  return require.resolve(packageName) in require.cache;
}

function readManifest(folder: string): Record<string, unknown> {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return isRecord(manifest) ? manifest : {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
