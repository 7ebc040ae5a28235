import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, parse, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint';
import { createSerializer } from './checkpoint-serializer.ts';
import { passOnToStore, type BatchedStoreClass } from './batched-store.ts';
import { snapshotDeltaChannels, type DeltaChannelClass } from './delta-channels.ts';
import { findCopy, type Copy } from './langgraph-copies.ts';
import { coreOf, openConstruct } from './revived-types.ts';
import { isRecord } from './run-config.ts';
import { checkRelease, missingLangGraph, releaseIn, served } from './served-versions.ts';

/** Of a namespace, and of how many answers its task has been given. */
export type InterruptIds = (namespace: string, answered: number) => string;
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
  /** What to write to a channel that has a reducer, and into which channel, so that it has this value. */
  replacing(channel: object, value: unknown): { channel: object; value: unknown };
  addMessages(before: unknown, more: unknown): unknown;
  /** The id of what a task asks that has so many answers; undefined where this version's rule is not known. */
  loadInterruptIds(): Promise<InterruptIds | undefined>;
  /** A module of the LangChain that it uses. */
  loadCore(subpath: string): Promise<unknown>;
  /** What makes JSON schemas of a graph; empty where this version has none. */
  loadSchemas(): Promise<Record<string, (graph: unknown) => unknown>>;
}

interface LangGraphExports {
  BaseCheckpointSaver: typeof BaseCheckpointSaver;
  BaseStore: typeof BaseStore;
  Command: new (fields: Record<string, unknown>) => unknown;
  Send: new (node: string, input: unknown) => unknown;
  Overwrite?: new (value: unknown) => unknown;
  messagesStateReducer: (before: unknown, more: unknown) => unknown;
  DeltaChannel?: DeltaChannelClass;
  AsyncBatchedStore?: BatchedStoreClass;
}

const packageName = served.package;
const loaded = new Map<string, Promise<LangGraphLibrary>>();

/**
 * Loads the copy of LangGraph that made an agent's graph, in the module system of the agent: the one that its module
 * sees or, when none of the modules that were imported with it has got that one, the first of theirs.
 */
export async function loadLangGraph(
  agentFile: string,
  copies: readonly Copy[] = [],
): Promise<LangGraphLibrary> {
  const own = findCopy(agentFile);
  const isOwnUsed = copies.length === 0 || copies.some(({ directory }) => directory === own);
  const [foreign] = copies;
  if (own !== undefined && isOwnUsed) {
    return loadCopy({ directory: own, isCommonJs: isCommonJs(agentFile) });
  }
  if (foreign === undefined) throw missingLangGraph(agentFile);
  return loadCopy(foreign);
}

function loadCopy(copy: Copy): Promise<LangGraphLibrary> {
  const key = `${copy.isCommonJs ? 'cjs' : 'esm'}:${copy.directory}`;
  let library = loaded.get(key);
  if (library === undefined) {
    library = importLibrary(copy);
    loaded.set(key, library);
  }
  return library;
}

async function importLibrary({
  directory,
  isCommonJs: byRequire,
}: Copy): Promise<LangGraphLibrary> {
  const version = releaseIn(directory);
  const warning = checkRelease(version);
  if (warning !== undefined) process.stderr.write(`WARNING: ${warning}\n`);
  const importFrom = (folder: string, name: string, subpath: string): Promise<unknown> =>
    byRequire
      ? Promise.resolve(requireOf(folder)(posix.join(name, subpath)))
      : import(entryUrl(folder, readManifest(folder), subpath));
  const load = (subpath: string): Promise<unknown> => importFrom(directory, packageName, subpath);
  const exports = (await load('.')) as LangGraphExports; // typed by its package
  const { Overwrite } = exports;
  if (exports.AsyncBatchedStore !== undefined) passOnToStore(exports.AsyncBatchedStore);
  if (exports.DeltaChannel !== undefined) snapshotDeltaChannels(exports.DeltaChannel);
  const serializer = createSerializer(await openConstruct(directory, importFrom));
  return {
    version,
    directory,
    BaseCheckpointSaver: exports.BaseCheckpointSaver,
    BaseStore: exports.BaseStore,
    makeSerializer: () => serializer,
    makeCommand: (fields) => new exports.Command(fields),
    makeSend: (node, input) => new exports.Send(node, input),
    replacing: (channel, value) =>
      Overwrite === undefined
        ? { channel: Object.create(channel, { operator: { value: second } }) as object, value } // its prototype is one
        : { channel, value: new Overwrite(value) },
    addMessages: (before, more) => addMessages(exports.messagesStateReducer, before, more),
    loadInterruptIds: async () => {
      try {
        // Files that the package does not export: functions without state, so this build of them serves both.
        const file = (name: string): string => pathToFileURL(join(directory, 'dist', name)).href;
        const counted = (await import(file('interrupt.js'))) as { interruptId?: InterruptIds };
        if (counted.interruptId !== undefined) return counted.interruptId;
        // Before 1.5 all questions of a task have one id.
        const { XXH3 } = (await import(file('hash.js'))) as { XXH3?: (text: string) => string };
        return XXH3 && ((namespace) => XXH3(namespace));
      } catch {
        return undefined;
      }
    },
    loadCore: async (subpath) => importFrom(coreOf(directory), '@langchain/core', subpath),
    loadSchemas: async () => {
      try {
        return (await load('./zod/schema')) as Record<string, (graph: unknown) => unknown>; // typed by its package
      } catch {
        return {};
      }
    },
  };
}

/** Finds the package itself, too. */
function requireOf(folder: string): NodeJS.Require {
  return createRequire(join(folder, 'package.json'));
}

function second(_: unknown, value: unknown): unknown {
  return value;
}

/** The messages with more of them. LangChain before 1.0 knows no removal (`type: "remove"`) in JSON. */
function addMessages(
  reduce: (before: unknown, more: unknown) => unknown,
  before: unknown,
  more: unknown,
): unknown {
  try {
    return reduce(before, more);
  } catch (error) {
    const isUnknownForm = isRecord(error) && error['lc_error_code'] === 'MESSAGE_COERCION_FAILURE';
    if (!isUnknownForm || !Array.isArray(more)) throw error;
    return withRemovals(reduce, before, more);
  }
}

function withRemovals(
  reduce: (before: unknown, more: unknown) => unknown,
  before: unknown,
  more: readonly unknown[],
): unknown {
  const all = more.findLastIndex((item) => isRemoval(item) && item['id'] === '__remove_all__');
  if (all !== -1) return addMessages(reduce, [], more.slice(all + 1));
  const removed = new Set(more.filter(isRemoval).map(({ id }) => id));
  const merged = reduce(
    before,
    more.filter((item) => !isRemoval(item)),
  ) as { id?: unknown }[]; // what it makes
  const unknown = [...removed].find((id) => !merged.some((message) => message.id === id));
  if (removed.size > 0 && unknown !== undefined) {
    throw new Error(`There is no message with the id ${JSON.stringify(unknown)} to remove.`);
  }
  return merged.filter(({ id }) => !removed.has(id));
}

function isRemoval(item: unknown): item is Record<string, unknown> {
  return isRecord(item) && item['type'] === 'remove';
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
