import { isObject } from '../model/json.ts';
import { ServiceError } from '../errors/service-error.ts';

/** An entry's context in the manifest: for messages about it, and for what it may refer to. */
export interface EntryLocation {
  /** The manifest. */
  file: string;
  /** The agent folder: the base of relative paths. */
  directory: string;
  /** The folders of the agents' code, the agent folder first; absolute. */
  sourceFolders: readonly string[];
  /** Nothing outside of the agent folder is read: the folder is untrusted. */
  isClosed: boolean;
  /** In a sandbox, the folders of this machine that may be referred to; absent: all. */
  reach?: readonly string[];
  warn: (sentence: string) => void;
}

/** Keys that are read, here or by the tools that they are for. */
const used = new Set(
  (
    '$schema name description version graphs env dependencies python_version node_version source store ' +
    'auth http'
  ).split(' '),
);

/** Keys that configure LangGraph's image builder. */
const ofImages = new Set(
  (
    'base_image image_distro dockerfile_lines internal_docker_tag _INTERNAL_docker_tag api_version ' +
    'pip_installer pip_config_file keep_pkg_tools'
  ).split(' '),
);

/** Keys of LangGraph's server without an effect here, and what replaces them. */
const unused: Readonly<Record<string, string>> = {
  checkpointer: 'checkpoints are kept by the engine; how many is a setting of the service',
  encryption: 'what agents store is not encrypted by it',
  webhooks: 'where the webhooks of runs may go is a setting of the service, webhooks.allow',
  priority: 'the runs of a thread are taken in their order',
  disable_persistence: 'threads are kept until they are deleted',
  ui: 'no user interface of the agents is served',
  ui_config: 'no user interface of the agents is served',
  'http.cors': 'pages of other origins are a setting of the service, api.cors.allowed_origins',
  'http.mount_prefix': 'the paths of the API are fixed',
  'http.configurable_headers': 'headers of a request are not part of its config',
  'http.logging_headers': 'headers are not logged',
};

/** Settings of `http` that other code reads. */
const usedOfHttp = new Set(['app', 'enable_custom_route_auth', 'middleware_order']);

/** One sentence for every manifest entry without an effect here; empty entries are ignored. */
export function unusedKeys(document: Record<string, unknown>): string[] {
  const entries = entriesOf(document);
  const images = entries.filter((key) => ofImages.has(key));
  const unknown = Object.keys(document).filter((key) => !isKnown(key));
  const sentences = [
    ...unknown.map((key) => `unknown key "${key}"`),
    ...entries.filter((key) => Object.hasOwn(unused, key)).map(sentenceOf),
  ];
  if (images.length > 0) {
    sentences.push(`${images.join(', ')}: not used, since no image is built`);
  }
  const routes: string[] = [];
  for (const key of entriesOf(document['http']).filter((name) => !usedOfHttp.has(name))) {
    if (key.startsWith('disable_')) routes.push(`http.${key}`);
    else sentences.push(sentenceOf(`http.${key}`));
  }
  if (routes.length > 0) sentences.push(`${routes.join(', ')}: not used, all routes are served`);
  return sentences;
}

function isKnown(key: string): boolean {
  return used.has(key) || ofImages.has(key) || Object.hasOwn(unused, key);
}

function sentenceOf(key: string): string {
  const reason = unused[key];
  return reason === undefined ? `unknown key "${key}"` : `${key}: not used, ${reason}`;
}

function entriesOf(value: unknown): string[] {
  if (!isObject(value)) return [];
  return Object.keys(value).filter((key) => !isEmpty(value[key]));
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === false || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** A `manifest_invalid` that names the file, the entry and the reason. */
export function manifestProblem(
  file: string,
  entry: string | undefined,
  reason: string,
): ServiceError {
  const where = entry === undefined ? file : `${file}: ${entry}`;
  const details = entry === undefined ? { file } : { file, entry };
  return new ServiceError('manifest_invalid', `${where}: ${reason}`, { details });
}
