/*
 * Python is started by `start_agent_runtime_guest.py`, not with `-m`: the agent folder and those of `dependencies`
 * (`Manifest.importPaths`) come after the installed packages on `sys.path` (`agent_import.py`), as under LangGraph's
 * server, and shadow none. `Manifest.sourceFolders` are the folders with the agents' code: graphs may name paths in
 * them, and they are watched, versioned and mounted in a sandbox.
 */
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ServiceError } from '../../errors/service-error.ts';
import type { StoreTtlSettings } from '../../model/store/store-settings.ts';
import type { DebugLaunch } from '../debug/debugging.ts';
import type { GuestAgent, GuestLanguage, GuestProgram } from './guest-program.ts';
import { interpreterVersion, isOlder, olderSentence } from '../process/interpreter-version.ts';
import { findInterpreter, type Interpreter } from '../process/interpreter.ts';
import { guestProtoPath } from '../wire/proto.ts';
import { preparePythonLibs } from '../process/python-libs.ts';

/** The folder of the guests' own programs, with a sub-folder for each language. */
export const guests = fileURLToPath(new URL('../../../guests', import.meta.url));
// In a package it is compiled: Node strips no types below node_modules.
export const javascriptGuest = path.join(guests, 'js/src', `main${path.extname(import.meta.url)}`);

export interface GuestProgramOptions {
  sourceDir: string;
  /** Python's import paths for the agents' modules, absolute. */
  importPaths: readonly string[];
  /** The versions that the manifest requires. */
  pythonVersion?: string;
  nodeVersion?: string;
  interpreter?: string;
  environment: Record<string, string>;
  /** The function that makes vectors for the store, if it is of this language. */
  embed?: string;
  /** How long items of the store are kept. */
  storeTtl?: StoreTtlSettings;
  /** Types that stored values may be deserialised to, besides those that the guest knows. */
  allowedTypes?: readonly string[];
  cacheDir: string;
  onProgress: (line: string) => void;
  /** Absent: no debugger. */
  debug?: DebugLaunch;
  /** Absent: the guest does not serve the manifest's `auth`. */
  authPath?: string;
  /** Absent: the guest serves no `http.app`. */
  appPath?: string;
}

/** Prepares the program of guests of one language for these agents; rejects with `guest_unavailable`. */
export async function prepareGuestProgram(
  language: GuestLanguage,
  agents: readonly GuestAgent[],
  options: GuestProgramOptions,
  signal: AbortSignal,
): Promise<GuestProgram> {
  const { sourceDir, environment, interpreter: override } = options;
  const projectDirs = options.importPaths;
  const found = { sourceDir, projectDirs, environment, signal };
  const interpreter = await findInterpreter(language, { ...found, ...(override && { override }) });
  if (agents.length > 0)
    options.onProgress(`${language} agents run on ${interpreter.command} (${interpreter.from})`);
  const program = language === 'python' ? pythonProgram : javascriptProgram;
  return await program(interpreter, agents, options, signal);
}

async function pythonProgram(
  { command }: Interpreter,
  agents: readonly GuestAgent[],
  options: GuestProgramOptions,
  signal: AbortSignal,
): Promise<GuestProgram> {
  const folder = path.join(guests, 'python');
  const { sourceDir, environment, pythonVersion } = options;
  const asked = { environment, workingDirectory: sourceDir, signal };
  const version = await interpreterVersion(command, asked);
  if (isOlder(version, OLDEST_PYTHON)) {
    throw new ServiceError(
      'guest_unavailable',
      `Python agents need Python ${OLDEST_PYTHON} or newer; ${command} is ${version}. Name another one with --interpreter.`,
    );
  }
  if (pythonVersion !== undefined && isOlder(version, pythonVersion)) {
    options.onProgress(olderSentence('python_version', pythonVersion, command, version));
  }
  const requirementsFile = path.join(folder, 'requirements.txt');
  const libDir = await preparePythonLibs({ ...options, python: command, requirementsFile, signal });
  const { debug } = options;
  const debugger_ = debug && (await pythonDebugger(command, debug, options, signal));
  return {
    language: 'python',
    command,
    args: [
      ...(debug ? ['-Xfrozen_modules=off'] : []), // frozen modules have no lines to stop at
      path.join(folder, 'start_agent_runtime_guest.py'),
    ],
    environment,
    workingDirectory: sourceDir,
    config: {
      ...agentConfig(agents, options),
      import_paths: options.importPaths,
      lib_dir: libDir,
      ...(debugger_ && { debugger: debugger_ }),
    },
  };
}

/** Installs the debugger's packages at its first use, next to the guest's, never into the agent's environment. */
async function pythonDebugger(
  python: string,
  { provider, options: settings, dialPort }: DebugLaunch,
  options: GuestProgramOptions,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const requirementsFile = path.join(guests, 'python', `requirements-${provider}.txt`);
  const libDir = await preparePythonLibs({ ...options, python, requirementsFile, signal });
  return { ...debuggerConfig(provider, settings, dialPort), lib_dir: libDir };
}

function debuggerConfig(
  provider: DebugLaunch['provider'],
  settings: DebugLaunch['options'],
  dialPort?: number,
): Record<string, unknown> {
  const logDir = settings['log-dir'];
  return {
    provider,
    wait_for_client: settings['wait-for-client'] === 'true',
    sub_process: settings['sub-process'] === 'true',
    ...(logDir !== undefined && { log_dir: logDir }),
    ...(dialPort !== undefined && { port: dialPort }),
  };
}

async function javascriptProgram(
  interpreter: Interpreter,
  agents: readonly GuestAgent[],
  options: GuestProgramOptions,
  signal: AbortSignal,
): Promise<GuestProgram> {
  const { sourceDir, environment, debug, nodeVersion } = options;
  const { command, version } = await recentNode(interpreter, options, signal);
  if (nodeVersion !== undefined && isOlder(version, nodeVersion)) {
    options.onProgress(olderSentence('node_version', nodeVersion, command, version));
  }
  return {
    language: 'javascript',
    command,
    args: [
      '--disable-warning=ExperimentalWarning',
      // Keeps the inspector's port off stderr: clients must use the relay's port.
      ...(debug ? ['--inspect-publish-uid=http'] : []),
      ...['--import', compileCache(options.cacheDir)],
      javascriptGuest,
    ],
    environment,
    workingDirectory: sourceDir,
    config: {
      ...agentConfig(agents, options),
      tsx_path: fileURLToPath(import.meta.resolve('tsx')),
      ...(debug && { debugger: debuggerConfig(debug.provider, debug.options) }),
    },
  };
}

/** The module that keeps compiled modules in the service's cache: no other user of the machine writes there. */
function compileCache(cacheDir: string): string {
  const file = `compile-cache${path.extname(javascriptGuest)}`;
  const module = pathToFileURL(path.join(path.dirname(javascriptGuest), file));
  module.searchParams.set('folder', path.join(cacheDir, 'compiled-guest'));
  return module.href;
}

/** The entries of config.json about the agents; all paths are as the guest sees them. */
export function agentConfig(
  agents: readonly GuestAgent[],
  {
    sourceDir,
    allowedTypes = [],
    embed,
    storeTtl,
    authPath,
    appPath,
    protoPath = guestProtoPath,
  }: Omit<GuestProgramOptions, 'cacheDir' | 'environment' | 'importPaths' | 'onProgress'> & {
    protoPath?: string;
  },
): Record<string, unknown> {
  return {
    source_dir: sourceDir,
    allowed_types: allowedTypes,
    ...(authPath !== undefined && { auth_path: authPath }),
    ...(appPath !== undefined && { app_path: appPath }),
    proto_path: protoPath,
    ...(embed !== undefined && { store_embed: embed }),
    // In the format of LangGraph's stores: Python's apply the default themselves.
    ...(storeTtl && {
      store_ttl: {
        refresh_on_read: storeTtl.refreshOnRead,
        ...(storeTtl.defaultMinutes !== undefined && { default_ttl: storeTtl.defaultMinutes }),
      },
    }),
    agents: agents.map(({ agentId, path: filePath }) => ({ agent_id: agentId, path: filePath })),
  };
}

/** The oldest Python that the guest's own code supports. */
const OLDEST_PYTHON = '3.10';
/** From this release on Node runs TypeScript without a build. */
export const OLDEST_NODE = '22.18';

/** The interpreter if it is recent enough; otherwise the service's own Node, unless the user chose the interpreter. */
async function recentNode(
  { command, from }: Interpreter,
  { sourceDir, environment }: GuestProgramOptions,
  signal: AbortSignal,
): Promise<{ command: string; version: string }> {
  const options = { environment, workingDirectory: sourceDir, signal };
  const version = await interpreterVersion(command, options);
  if (!isOlder(version, OLDEST_NODE)) return { command, version };
  // Never Electron's Node.
  const own = process.versions.node;
  const isOwnFit = !isOlder(own, OLDEST_NODE) && process.versions['electron'] === undefined;
  if (from === 'PATH' && isOwnFit) return { command: process.execPath, version: own };
  throw new ServiceError(
    'guest_unavailable',
    `JavaScript agents need Node ${OLDEST_NODE} or newer; ${command} is ${version}.`,
  );
}
