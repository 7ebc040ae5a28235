import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { ServiceError } from '../errors/service-error.ts';
import type { DebugLaunch } from './debug-link.ts';
import type { GuestAgent } from './guest-pool.ts';
import type { GuestLanguage, GuestProgram } from './guest-program.ts';
import { findInterpreter, type Interpreter } from './interpreter.ts';
import { guestProtoPath } from './proto.ts';
import { preparePythonLibs } from './python-libs.ts';
import { runCommand } from './run-command.ts';

const guests = fileURLToPath(new URL('../../guests', import.meta.url));
// A package has it compiled: Node strips no types below node_modules.
const javascriptGuest = path.join(guests, 'js/src', `main${path.extname(import.meta.url)}`);

export interface GuestProgramOptions {
  sourceDir: string;
  interpreter?: string;
  environment: Record<string, string>;
  cacheDir: string;
  onProgress: (line: string) => void;
  /** Absent: no debugger. */
  debug?: DebugLaunch;
}

/** Makes everything ready to start guests of one language for these agents; rejects with `guest_unavailable`. */
export async function prepareGuestProgram(
  language: GuestLanguage,
  agents: readonly GuestAgent[],
  options: GuestProgramOptions,
  signal: AbortSignal,
): Promise<GuestProgram> {
  const { sourceDir, environment, interpreter: override } = options;
  const question = { sourceDir, environment, signal, ...(override ? { override } : {}) };
  const interpreter = await findInterpreter(language, question);
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
  const requirementsFile = path.join(folder, 'requirements.txt');
  const libDir = await preparePythonLibs({ ...options, python: command, requirementsFile, signal });
  const usersPath = options.environment['PYTHONPATH'];
  const environment = {
    ...options.environment,
    PYTHONPATH: usersPath ? `${folder}${path.delimiter}${usersPath}` : folder,
  };
  const { debug } = options;
  const debugger_ = debug && (await pythonDebugger(command, debug, options, signal));
  return {
    language: 'python',
    command,
    // Frozen modules have no lines to stop at.
    args: [...(debug ? ['-Xfrozen_modules=off'] : []), '-m', 'agent_runtime_guest'],
    environment,
    workingDirectory: options.sourceDir,
    config: {
      ...agentConfig(agents, options),
      lib_dir: libDir,
      ...(debugger_ && { debugger: debugger_ }),
    },
  };
}

/** The debugger's own packages are installed at its first use, beside the guest's, never into the agent's environment. */
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
  const { sourceDir, environment, debug } = options;
  const command = await recentNode(interpreter, options, signal);
  return {
    language: 'javascript',
    command,
    args: [
      '--disable-warning=ExperimentalWarning',
      // Not on stderr: it is not the port that clients are to use.
      ...(debug ? ['--inspect-publish-uid=http'] : []),
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

function agentConfig(
  agents: readonly GuestAgent[],
  { sourceDir }: GuestProgramOptions,
): Record<string, unknown> {
  return {
    source_dir: sourceDir,
    proto_path: guestProtoPath,
    agents: agents.map(({ agentId, path: place }) => ({ agent_id: agentId, path: place })),
  };
}

/** From this release on Node runs TypeScript as it is. */
const OLDEST_NODE = [22, 18] as const;

/** The interpreter when it is recent enough, else the Node that runs the service, unless the user chose. */
async function recentNode(
  { command, from }: Interpreter,
  { sourceDir, environment }: GuestProgramOptions,
  signal: AbortSignal,
): Promise<string> {
  const options = { environment, workingDirectory: sourceDir, signal };
  const version = (await runCommand(command, ['--version'], options)).trim();
  if (isRecent(version)) return command;
  // Never Electron's Node (architecture, 7).
  const isOwnFit = isRecent(process.version) && process.versions['electron'] === undefined;
  if (from === 'PATH' && isOwnFit) return process.execPath;
  throw new ServiceError(
    'guest_unavailable',
    `JavaScript agents need Node ${OLDEST_NODE.join('.')} or newer; ${command} is ${version}.`,
  );
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
}
