// Checks what agents and the service need of this machine. Changes nothing, connects to nothing.
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import type { DesktopSettings, Finding, ServiceView } from '../ipc/contract.ts';
import type { SandboxFindings } from '../../../server/src/index.ts';
import { isNode, oldestNode, oldestPython } from './interpreter.ts';
import { sandboxRows, unexamined } from './sandbox-rows.ts';
import { outputOf, isAtLeast, isPortFree } from './probe.ts';

export interface Check {
  settings: DesktopSettings;
  view: ServiceView;
  profile: string;
  /** Checks what sandboxes need, as a start does. */
  sandboxes: () => Promise<SandboxFindings>;
  /** The packaged engine; absent in a checkout. */
  engine: string | undefined;
  /** Why secrets cannot be stored, if they cannot. */
  secretsUnavailable: string | undefined;
  /** The environment names a licence key. */
  hasOwnLicense: boolean;
}

/** One finding for each thing that agents or the service may need, in the order of their importance. */
export async function examine(check: Check): Promise<Finding[]> {
  const [pythonFound, nodeFound, portFound, sandboxes] = await Promise.all([
    python(check),
    node(check),
    port(check),
    sandboxesOf(check),
  ]);
  return [
    service(check),
    engine(check),
    pythonFound,
    nodeFound,
    portFound,
    profile(check),
    secrets(check),
    license(check),
    ...sandboxes,
  ];
}

function service({ view }: Check): Finding {
  const about = { id: 'service', title: 'Service' };
  const { failure, folder, url } = view;
  if (failure) return { ...about, state: 'fail', detail: failure.message, fix: failure.help };
  if (view.state === 'remote') return { ...about, state: 'ok', detail: `Remote, ${url}`, fix: '' };
  if (view.state === 'ready') {
    const detail = [`Serves ${folder} at ${url}.`, ...view.warnings].join(' ');
    const isWarned = view.warnings.length > 0;
    const fix = isWarned ? 'Correct what the configuration warns of, and restart.' : '';
    return { ...about, state: isWarned ? 'warn' : 'ok', detail, fix };
  }
  const fix = view.state === 'stopped' ? 'Open a folder to start it.' : '';
  return { ...about, state: 'warn', detail: `It is ${view.state}.`, fix };
}

function engine({ engine: file, view }: Check): Finding {
  const about = { id: 'engine', title: 'Engine' };
  if (file === undefined) {
    const step = view.steps.find(({ name }) => name === 'engine');
    const detail = step?.message ?? 'A source checkout: it is found, or built, at a start.';
    return { ...about, state: step?.state === 'failed' ? 'fail' : 'ok', detail, fix: '' };
  }
  try {
    accessSync(file, constants.X_OK);
    return { ...about, state: 'ok', detail: file, fix: '' };
  } catch {
    const fix = 'Install the application again.';
    return { ...about, state: 'fail', detail: `${file} is missing or cannot be run.`, fix };
  }
}

async function python({ settings, view }: Check): Promise<Finding> {
  const about = { id: 'python', title: 'Python, for Python agents' };
  const chosen = settings.interpreter;
  const program = chosen !== null && !isNode(chosen) ? chosen : pythonOf(view.folder);
  const output = await outputOf(program, '--version');
  const fix = `Install Python ${oldestPython.join('.')} or newer, or name one in the settings.`;
  // As with Node: whether an agent needs it is on the page of that agent.
  if (output === undefined) {
    return { ...about, state: 'warn', detail: `${program} cannot be run.`, fix };
  }
  const isFit = isAtLeast(output, oldestPython);
  const detail = `${output} (${program})${view.folder === undefined ? '; a .venv in the agent folder takes precedence' : ''}.`;
  return { ...about, state: isFit ? 'ok' : 'warn', detail, fix: isFit ? '' : fix };
}

/** The folder's own virtual environment takes precedence, as at a start. */
function pythonOf(folder: string | undefined): string {
  const isWindows = process.platform === 'win32';
  const own = isWindows ? '.venv/Scripts/python.exe' : '.venv/bin/python';
  const file = folder === undefined ? undefined : path.join(folder, own);
  if (file !== undefined && existsSync(file)) return file;
  return isWindows ? 'python' : 'python3';
}

async function node({ settings }: Check): Promise<Finding> {
  const about = { id: 'node', title: 'Node, for JavaScript agents' };
  const chosen = settings.interpreter;
  const program = chosen !== null && isNode(chosen) ? chosen : 'node';
  const output = await outputOf(program, '--version');
  const fix = `Install Node ${oldestNode.join('.')} or newer; Python agents do not need it.`;
  if (output === undefined) {
    return { ...about, state: 'warn', detail: `${program} cannot be run.`, fix };
  }
  const isFit = isAtLeast(output, oldestNode);
  return {
    ...about,
    state: isFit ? 'ok' : 'warn',
    detail: `${output} (${program})`,
    fix: isFit ? '' : fix,
  };
}

async function port({ settings, view }: Check): Promise<Finding> {
  const about = { id: 'port', title: 'Port' };
  if (settings.port === 0) {
    const now = view.port === undefined ? '' : ` now ${view.port}`;
    return { ...about, state: 'ok', detail: `Any free one,${now || ' at each start'}.`, fix: '' };
  }
  const isOurs = view.port === settings.port;
  if (isOurs || (await isPortFree(settings.port))) {
    return { ...about, state: 'ok', detail: `${settings.port}`, fix: '' };
  }
  const detail = `Another process listens on ${settings.port}.`;
  return { ...about, state: 'fail', detail, fix: 'Choose another port in the settings, or 0.' };
}

function profile({ profile: folder }: Check): Finding {
  const about = { id: 'profile', title: 'Profile' };
  try {
    accessSync(folder, constants.W_OK);
    return { ...about, state: 'ok', detail: folder, fix: '' };
  } catch {
    const detail = existsSync(folder) ? `${folder} cannot be written.` : `${folder} is missing.`;
    return { ...about, state: 'fail', detail, fix: 'Give this user the right to write there.' };
  }
}

function secrets({ secretsUnavailable }: Check): Finding {
  const about = { id: 'secrets', title: 'Safe storage of tokens' };
  if (secretsUnavailable === undefined) {
    return { ...about, state: 'ok', detail: 'The system stores them.', fix: '' };
  }
  const fix =
    'Run a keyring (GNOME Keyring, KWallet); without one, tokens are asked for each time.';
  return { ...about, state: 'warn', detail: secretsUnavailable, fix };
}

function license({ hasOwnLicense, view: { failure } }: Check): Finding {
  if (failure?.code === 'license_invalid') {
    const { message, help } = failure;
    return { id: 'license', title: 'Licence', state: 'fail', detail: message, fix: help };
  }
  const detail = hasOwnLicense
    ? 'The key of the environment (SERVICE_LICENSE_KEY), checked at a start.'
    : 'The free community key.';
  return { id: 'license', title: 'Licence', state: 'ok', detail, fix: '' };
}

async function sandboxesOf({ sandboxes, settings, view }: Check): Promise<Finding[]> {
  try {
    return sandboxRows(await sandboxes(), { sandbox: settings.sandbox, view });
  } catch (error) {
    return [unexamined(error)];
  }
}
