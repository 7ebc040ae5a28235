// The service in its own process: starts it, tells how it goes, stops it.
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type * as ServerPackage from '../../../server/src/index.ts';
import type { MissingPackages } from '../ipc/contract.ts';
import { answerDebugging, tellDebugging } from './debug-session.ts';
import { desktopFlags } from './desktop-config.ts';
import { parseLogLine } from './log-lines.ts';
import type { FromService, StartRequest, ToService } from './messages.ts';
import { watchEngine } from './watch-engine.ts';

/** The way to the desktop. */
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

/** Serves one agent folder as the desktop says, until it says to stop. */
export function runService(channel: DesktopChannel, surroundings: ServiceSurroundings): void {
  const { environment, exit } = surroundings;
  const abort = new AbortController();
  let starting: Promise<Service> | undefined;

  function fail(error: unknown): void {
    channel.post({ type: 'failed', ...describe(error) });
  }

  async function stop(drainMs: number): Promise<void> {
    abort.abort();
    const service = await starting?.catch(() => undefined);
    await service?.close({ drainMs });
  }

  channel.onMessage((message) => {
    if (message.type === 'start') {
      starting = start({ ...message, environment, channel, signal: abort.signal });
      starting.catch((error: unknown) => {
        if (!abort.signal.aborted) fail(error);
      });
    }
    if (message.type === 'debug') void answerDebugging(message, starting, channel);
    if (message.type === 'stop') {
      stop(message.drainMs)
        .catch(fail)
        .finally(() => {
          channel.post({ type: 'stopped' });
          exit(0);
        });
    }
  });

  // Whatever nobody caught: the desktop goes on and says so, this process does not.
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
}): Promise<Service> {
  const { request, environment, channel, signal } = options;
  channel.post({ type: 'step', name: 'folder' });
  requireFolder(request.folder);
  channel.post({ type: 'step', name: 'settings' });
  const entry = pathToFileURL(request.serverEntry).href;
  // The compiled form of the module that the type names.
  const server = (await import(/* @vite-ignore */ entry)) as typeof ServerPackage;
  const { communityKey, createLogger, createService, loadConfig, verifyLicense } = server;
  const { config, warnings, licenseKey } = loadConfig({
    sourcePath: request.folder,
    workingDir: request.folder,
    environment,
    flags: desktopFlags(request, { environment, communityKey }),
  });
  await verifyLicense(licenseKey ?? communityKey());
  for (const message of warnings) channel.post({ type: 'warning', message });
  channel.post({ type: 'step', name: 'packages' });
  await offerPackages(await server.missingAgentPackages(config, signal), request, channel);
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
    tellDebugging(service.debugging, channel);
    channel.post({ type: 'ready', url: service.url });
    watchEngine(service.url, signal, (failing) =>
      channel.post({ type: 'engine', ...(failing === undefined ? {} : { failing }) }),
    );
  }
  return service;
}

async function offerPackages(
  missing: readonly ServerPackage.AgentPackages[],
  { isInstalling }: StartRequest,
  channel: DesktopChannel,
): Promise<void> {
  const left: MissingPackages[] = [];
  for (const { because, command, needs, install } of missing) {
    if (isInstalling && command !== undefined) {
      const say = (message: string): void => channel.post({ type: 'progress', message });
      say(command);
      await install(say);
    } else
      left.push({
        because,
        ...(command === undefined ? {} : { command }),
        ...(needs === undefined ? {} : { needs }),
      });
  }
  if (left.length > 0) channel.post({ type: 'missing-packages', packages: left });
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
