// The preparation of a service: the packages of the agents, or the sandbox with its images.
import type * as ServerPackage from '../../../server/src/index.ts';
import type { MissingPackages } from '../ipc/contract.ts';
import type { DesktopChannel } from './run-service.ts';

interface Preparation {
  /** What is missing is installed or built, and not only reported. */
  isInstalling: boolean;
  channel: DesktopChannel;
  signal: AbortSignal;
  /** Cancels a build, and not the process. */
  buildSignal: AbortSignal;
  /** Receives a build, which may take a while to end after it was cancelled. */
  onBuild: (build: Promise<void>) => void;
}

const sandboxNames = { docker: 'Docker', gvisor: 'gVisor' } as const;

/** Prepares what the service's agents need. Rejects with `images_missing` where images have to be built first. */
export async function prepareAgents(
  server: Pick<typeof ServerPackage, 'missingAgentPackages' | 'missingAgentImages'>,
  config: ServerPackage.ServiceConfig,
  preparation: Preparation,
): Promise<void> {
  const { channel, signal, isInstalling } = preparation;
  const { sandbox } = config.guest;
  if (sandbox === 'none') {
    channel.post({ type: 'step', name: 'packages' });
    await offerPackages(await server.missingAgentPackages(config, signal), preparation);
    return;
  }
  channel.post({ type: 'step', name: 'sandbox' });
  const missing = await server.missingAgentImages(config, {
    signal,
    onProgress: (message) => channel.post({ type: 'progress', message }),
    onSandbox() {
      channel.post({ type: 'progress', message: sandboxNames[sandbox] });
      channel.post({ type: 'step', name: 'images' });
    },
  });
  if (missing && !isInstalling) throw imagesMissing(missing);
  if (!isInstalling) return;
  const found = missing ? `to be built: ${missing.references.join(', ')}` : 'all present';
  channel.post({ type: 'progress', message: found });
  channel.post({ type: 'step', name: 'build' });
  if (missing) await buildImages(missing, preparation);
}

async function offerPackages(
  missing: readonly ServerPackage.AgentPackages[],
  { isInstalling, channel }: Preparation,
): Promise<void> {
  const stillMissing: MissingPackages[] = [];
  for (const { because, command, needs, install } of missing) {
    if (isInstalling && command !== undefined) {
      const report = (message: string): void => channel.post({ type: 'progress', message });
      report(command);
      await install(report);
    } else
      stillMissing.push({
        because,
        ...(command === undefined ? {} : { command }),
        ...(needs === undefined ? {} : { needs }),
      });
  }
  if (stillMissing.length > 0) {
    channel.post({ type: 'missing-packages', packages: stillMissing });
  }
}

async function buildImages(
  missing: ServerPackage.MissingImages,
  { channel, signal, buildSignal, onBuild }: Preparation,
): Promise<void> {
  const either = AbortSignal.any([signal, buildSignal]);
  const onProgress = (message: string): void => channel.post({ type: 'progress', message });
  const build = missing.build({ signal: either, onProgress });
  onBuild(build);
  try {
    // Not every step of a build can be stopped at once.
    await Promise.race([build, whenAborted(either)]);
  } catch (error) {
    throw either.aborted ? imagesMissing(missing) : error;
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(new Error('The build was cancelled.'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** Shaped like the server's own errors, for the code that reports to the window. */
function imagesMissing({ references }: ServerPackage.MissingImages): Error {
  const message = `Images are missing: ${references.join(', ')}.`;
  return Object.assign(new Error(message), { code: 'images_missing', name: 'ServiceError' });
}
