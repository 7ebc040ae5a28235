import type { ImageLookup, MissingImages } from '../compose/images/agent-images.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { Offer } from './offer-packages.ts';

/** Provides the images of the agents' sandbox; implemented in `agent-images.ts`. */
export type FindImages = (
  config: ServiceConfig,
  lookup: ImageLookup,
) => Promise<MissingImages | undefined>;

/**
 * Builds the images that cannot be pulled if the user agrees. Rejects with `config_invalid` and advice when they are
 * not built, and when the sandbox is unavailable: then nothing can start.
 */
export async function offerImages(
  config: ServiceConfig,
  find: FindImages,
  offer: Offer,
): Promise<void> {
  const { isWanted, terminal, output, signal } = offer;
  const onProgress = (line: string): void => output.progress(line);
  const missing = await foundImages(config, find, { signal, onProgress });
  if (!missing) return;
  const because = `Images are missing: ${missing.references.join(', ')}.`;
  const command = `service image build --sandbox ${config.guest.sandbox}`;
  if (isWanted) output.progress(`${because} Building: ${command}`);
  else if (terminal === undefined)
    throw invalid(`${because} Start with --install, or build them: ${command}`);
  else {
    terminal.say(`${because} This builds them:\n  ${command}`);
    const answer = await terminal.ask('Build them now? [Y/n] ');
    if (answer === undefined) throw invalid('The question about the images was not answered.');
    if (!/^(y|yes|)$/i.test(answer.trim()))
      throw invalid(`${because} Build them (${command}), or name others with --guest-image.`);
  }
  await built(missing, { signal, onProgress: (line) => output.progress(`  ${line}`) });
}

async function foundImages(
  config: ServiceConfig,
  find: FindImages,
  run: Pick<ImageLookup, 'signal' | 'onProgress'>,
): Promise<MissingImages | undefined> {
  let isSandboxThere = false;
  try {
    return await find(config, { ...run, onSandbox: () => (isSandboxThere = true) });
  } catch (error) {
    if (isSandboxThere || !isServiceError(error) || error.code !== 'config_invalid') throw error;
    throw invalid(
      `${error.message} Or pass --sandbox none, which runs the agents as plain processes of this user.`,
      error,
    );
  }
}

async function built(
  { build }: MissingImages,
  run: Pick<ImageLookup, 'signal' | 'onProgress'>,
): Promise<void> {
  try {
    await build(run);
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'config_invalid') throw error;
    throw invalid(
      `${error.message} \`service image build --base\` takes another image or a folder.`,
      error,
    );
  }
}

function invalid(sentence: string, cause?: unknown): ServiceError {
  return new ServiceError('config_invalid', sentence, { cause });
}
