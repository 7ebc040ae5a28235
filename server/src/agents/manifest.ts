import path from 'node:path';
import { reachOf } from '../files/source-reach.ts';
import type { ManifestStore } from '../model/store/store-settings.ts';
import type { ManifestAgent } from './agent.ts';
import { withAssistantDefaults } from './assistant-defaults.ts';
import { type EntryLocation, manifestProblem, unusedKeys } from './manifest-keys.ts';
import { readGraphEntry } from './graph-entry.ts';
import { readEnvironment } from './manifest-environment.ts';
import { readManifestFile } from './manifest-file.ts';
import { type ManifestApp, type ManifestAuth, readApp, readAuth } from './manifest-http.ts';
import { readStore } from './manifest-store.ts';
import { isObject } from '../model/json.ts';
import { findSourceFolders } from './source-folders.ts';

/** The agent folder's manifest. */
export interface Manifest {
  /** Path of the file. */
  file: string;
  /** In the file's order; the first one is the default. Never empty. */
  agents: readonly [ManifestAgent, ...ManifestAgent[]];
  /** The variables of `env`, read from its file when it names one. */
  environment: Readonly<Record<string, string>>;
  /** Unchanged from the file, for the set-up of the agents' packages. */
  dependencies: readonly string[];
  /** The folders of the agents' code, absolute: the agent folder, then those of `dependencies` outside of it. */
  sourceFolders: readonly [string, ...string[]];
  /** Python's search path for the agents' modules, absolute and in this order. */
  importPaths: readonly string[];
  pythonVersion?: string;
  nodeVersion?: string;
  /** Absent: the manifest does not define authentication. */
  auth?: ManifestAuth;
  /** Absent: only the service's own routes exist. */
  app?: ManifestApp;
  /** The value of `store`. */
  store: ManifestStore;
  /** One sentence for every entry without an effect. */
  warnings: readonly string[];
}

export interface ManifestReading {
  /** The variables that agents inherit: a file of `env` may refer to them. */
  outer?: Readonly<Record<string, string>>;
  /** The folder is untrusted and contains no links: the manifest may not refer to anything outside of it. */
  isClosed?: boolean;
  /**
   * Agents run in a sandbox, and the manifest may refer only to the surrounding repository and to these folders of the
   * user. References to variables of `outer` are then not resolved.
   */
  allowedFolders?: readonly string[];
}

/** Reads the manifest of an agent folder; rejects with `manifest_invalid`, naming file, entry and reason. */
export async function readManifest(
  directory: string,
  { outer = {}, isClosed = false, allowedFolders }: ManifestReading = {},
): Promise<Manifest> {
  const reach = allowedFolders && reachOf(directory, allowedFolders);
  const { file, document } = await readManifestFile(directory, reach);
  const warnings: string[] = [];
  const warn = (sentence: string): void => {
    warnings.push(sentence.replace(file, path.basename(file))); // readers know the folder
  };
  for (const sentence of unusedKeys(document)) warn(`${file}: ${sentence}`);
  const dependencies = readDependencies(document['dependencies'], file);
  const sources = findSourceFolders(dependencies, document['source'], {
    file,
    directory,
    isClosed,
    ...(reach && { reach }),
    warn,
  });
  const location: EntryLocation = {
    file,
    directory,
    sourceFolders: sources.folders,
    isClosed,
    ...(reach && { reach }),
    warn,
  };
  const [first, ...others] = readGraphs(document['graphs'], location);
  if (!first) throw manifestProblem(file, 'graphs', `there is no entry; ${graphsHelp}`);
  const auth = readAuth(document['auth'], location);
  const app = readApp(document['http'], auth, location);
  const languages = [first, ...others].map(({ language }) => language);
  const inherited = reach ? {} : outer;
  const environment = await readEnvironment(document['env'], location, inherited);
  const agents: Manifest['agents'] = [first, ...others];
  return {
    file,
    agents: withAssistantDefaults(agents, { ...inherited, ...environment }, file),
    store: readStore(document['store'], location, languages),
    environment,
    dependencies,
    sourceFolders: sources.folders,
    importPaths: sources.importPaths,
    ...readVersion(document, 'python_version', 'pythonVersion', file),
    ...readVersion(document, 'node_version', 'nodeVersion', file),
    ...(auth && { auth }),
    ...(app && { app }),
    warnings,
  };
}

const graphsHelp = 'write for example "graphs": {"agent": "./agent.py:graph"}.';

function readGraphs(graphs: unknown, location: EntryLocation): ManifestAgent[] {
  const { file } = location;
  if (graphs === undefined || graphs === null) {
    throw manifestProblem(file, 'graphs', `the key is missing; ${graphsHelp}`);
  }
  if (!isObject(graphs)) {
    throw manifestProblem(file, 'graphs', `it is not an object; ${graphsHelp}`);
  }
  return Object.entries(graphs).map(([name, value]) => readGraphEntry(name, value, location));
}

function readDependencies(dependencies: unknown, file: string): string[] {
  if (dependencies === undefined || dependencies === null) return [];
  const isList = Array.isArray(dependencies);
  if (isList && dependencies.every((entry): entry is string => typeof entry === 'string')) {
    return dependencies;
  }
  throw manifestProblem(file, 'dependencies', 'it is not a list of strings, such as ["."].');
}

/** `3.11`, `20`, `3.12-bookworm`. */
function readVersion<Name extends string>(
  document: Record<string, unknown>,
  key: string,
  name: Name,
  file: string,
): { [Key in Name]?: string } {
  const value = document[key];
  if (value === undefined || value === null || value === '') return {};
  const isVersion = typeof value === 'string' && /^\d+(\.\d+){0,2}(-\w+)?$/.test(value);
  if (isVersion) return { [name]: value } as { [Key in Name]?: string }; // a computed key is typed as any string
  const example = key === 'python_version' ? '"3.11"' : '"22"';
  const reason = `${JSON.stringify(value)} is not a version; write it in quotes, such as ${example}.`;
  throw manifestProblem(file, key, reason);
}
