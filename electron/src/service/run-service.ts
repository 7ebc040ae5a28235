// The service in its own process: starts it, reports its progress, stops it.
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type * as ServerPackage from '../../../server/src/index.ts';
import { handleDebugging, reportDebugging } from './debug-session.ts';
import { desktopFlags } from './desktop-config.ts';
import { parseLogLine } from './log-lines.ts';
import { prepareAgents } from './prepare-agents.ts';
import type { FromService, StartRequest, ToService } from './messages.ts';
import { watchEngine } from './watch-engine.ts';

/** The connection to the desktop. */
export interface DesktopChannel {
  post(message: FromService): void;
  onMessage(listener: (message: ToService) => void): void;
}

type Service = ServerPackage.Service;

/** What surrounds the service. */
export interface ServiceSurroundings {
  environment: NodeJS.ProcessEnv;
  /** Ends this process. */
  exit(code: number): void;
}

/** Serves one agent folder as the desktop requests, until it requests a stop. */
export function runService(channel: DesktopChannel, surroundings: ServiceSurroundings): void {
  const { environment, exit } = surroundings;
  const abort = new AbortController();
  const building = new AbortController();
  let starting: Promise<Service> | undefined;
  let build: Promise<void> | undefined;

  function fail(error: unknown): void {
    channel.post({ type: 'failed', ...describe(error) });
  }

  async function stop(drainMs: number): Promise<void> {
    abort.abort();
    const service = await starting?.catch(() => undefined);
    await service?.close({ drainMs });
    // One that was cancelled removes its files at its end.
    await build?.catch(() => undefined);
  }

  channel.onMessage((message) => {
    if (message.type === 'start') {
      const signals = { signal: abort.signal, buildSignal: building.signal };
      const onBuild = (begun: Promise<void>): void => void (build = begun);
      starting = start({ ...message, environment, channel, onBuild, ...signals });
      starting.catch((error: unknown) => {
        if (!abort.signal.aborted) fail(error);
      });
    }
    if (message.type === 'cancel-build') building.abort();
    if (message.type === 'examine') examine(message.serverEntry, environment, channel).catch(fail);
    if (message.type === 'debug') void handleDebugging(message, starting, channel);
    if (message.type === 'stop') {
      stop(message.drainMs)
        .catch(fail)
        .finally(() => {
          channel.post({ type: 'stopped' });
          exit(0);
        });
    }
  });

  // An uncaught error ends this process; the desktop continues and shows it.
  process.on('uncaughtException', (error) => {
    fail(error);
    setTimeout(() => exit(70), 200);
  });
}

async function start(options: {
  request: StartRequest;
  environment: NodeJS.ProcessEnv;
  channel: DesktopChannel;
  signal: AbortSignal;
  buildSignal: AbortSignal;
  onBuild: (build: Promise<void>) => void;
}): Promise<Service> {
  const { request, environment, channel, signal } = options;
  channel.post({ type: 'step', name: 'folder' });
  requireFolder(request.folder);
  channel.post({ type: 'step', name: 'settings' });
  const server = await loadServer(request.serverEntry);
  const { communityKey, createLogger, createService, loadConfig, verifyLicense } = server;
  const { config, warnings, licenseKey } = loadConfig({
    sourcePath: request.folder,
    workingDir: request.folder,
    environment,
    flags: desktopFlags(request, { environment, communityKey }),
  });
  await verifyLicense(licenseKey ?? communityKey());
  for (const message of warnings) channel.post({ type: 'warning', message });
  await prepareAgents(server, config, { ...options, isInstalling: request.isInstalling });
  const sink = {
    write: (line: string) => channel.post({ type: 'lines', lines: [parseLogLine(line)] }),
  };
  const service = await createService(config, {
    logger: createLogger({ level: config.log.level, format: 'json', sink }),
    onProgress: (message) => channel.post({ type: 'progress', message }),
    onStep: (name) => channel.post({ type: 'step', name }),
    onFailure: (error) => channel.post({ type: 'failed', ...describe(error) }),
    signal,
  });
  if (!signal.aborted) {
    reportDebugging(service.debugging, channel);
    channel.post({ type: 'ready', url: service.url });
    watchEngine(service.url, signal, (failing) =>
      channel.post({ type: 'engine', ...(failing === undefined ? {} : { failing }) }),
    );
  }
  return service;
}

/** The compiled form of the module that the type names. */
async function loadServer(entry: string): Promise<typeof ServerPackage> {
  return (await import(/* @vite-ignore */ pathToFileURL(entry).href)) as typeof ServerPackage;
}

/** Here and not in main: it starts programs and reads large files. */
async function examine(
  serverEntry: string,
  environment: NodeJS.ProcessEnv,
  channel: DesktopChannel,
): Promise<void> {
  const { examineSandboxes } = await loadServer(serverEntry);
  channel.post({ type: 'examined', findings: await examineSandboxes(environment) });
}

function requireFolder(folder: string): void {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (isFolder) return;
  const reason = `There is no folder ${folder}.`;
  throw Object.assign(new Error(reason), { code: 'config_invalid', name: 'ServiceError' });
}

/** Never `instanceof`: the class is another one in every copy of the module. */
function describe(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: 'internal', message: String(error) };
  const { code, name } = error as Error & { code?: unknown }; // what our own errors carry
  const isOurs = name === 'ServiceError' && typeof code === 'string';
  return { code: isOurs ? code : 'internal', message: error.message };
}
