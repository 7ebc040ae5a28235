import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

import type Docker from 'dockerode';

import type { ImageOptions, SandboxImage } from '../port.ts';
import { notPulled, refused, statusOf, unavailable } from './docker-trouble.ts';

/** An image of the daemon's, with the folders that it declares as volumes. */
export interface DockerImage extends SandboxImage {
  readonly volumes: readonly string[];
}

/** Fetches an image as an archive: a client cannot configure the registries that the daemon trusts. */
export type ArchivedImage = <Result>(
  reference: string,
  options: ImageOptions,
  load: (archive: { file: string; tag: string }) => Promise<Result>,
) => Promise<Result>;

/** Finds or pulls the image, by the daemon unless `archived` is set. Rejects with `guest_unavailable`, one sentence. */
export async function dockerImage(
  docker: Docker,
  reference: string,
  options: ImageOptions & { archived?: ArchivedImage | undefined },
): Promise<DockerImage> {
  const { archived } = options;
  const found =
    (await inspectImage(docker, reference)) ??
    (archived
      ? await archived(reference, options, (archive) => loadArchive(docker, archive))
      : await pull(docker, reference, options));
  const platform = `${found.Os}/${found.Architecture}`;
  const { OSType, Architecture } = await docker.version().then(
    ({ Os, Arch }) => ({ OSType: Os, Architecture: Arch }),
    (error: unknown) => {
      throw refused('The Docker daemon does not say what it is', error);
    },
  );
  const ofDaemon = `${OSType}/${Architecture}`;
  if (platform !== ofDaemon) {
    throw unavailable(
      `The image ${reference} is for ${platform}, and this machine runs ${ofDaemon}; name another one with --guest-image, or pull it for this platform.`,
    );
  }
  const { Env, Volumes } = found.Config;
  const environment = Object.fromEntries(
    (Env ?? []).map((entry) => {
      const at = entry.indexOf('=');
      return [entry.slice(0, at), entry.slice(at + 1)];
    }),
  );
  return {
    // Its id: a tag may name another image a short time later.
    name: found.Id,
    // Not its own id, which depends on its creation timestamp: equal content must have an equal id.
    id: contentId(found),
    platform,
    environment: { PATH: DEFAULT_PATH, ...environment },
    volumes: Object.keys(Volumes ?? {}),
  };
}

function contentId({ Id, RootFS, Config }: Docker.ImageInspectInfo): string {
  const { Layers } = RootFS ?? {};
  if (Layers === undefined) return Id;
  return createHash('sha256')
    .update(JSON.stringify([Layers, Config.Env]))
    .digest('hex');
}

/** Docker's default for images without a PATH. */
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The daemon's data of the image; undefined when it does not have it. */
export async function inspectImage(
  docker: Docker,
  reference: string,
): Promise<Docker.ImageInspectInfo | undefined> {
  try {
    return await docker.getImage(reference).inspect();
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw refused(`The image ${reference} cannot be used`, error);
  }
}

async function pull(
  docker: Docker,
  reference: string,
  { onProgress, signal }: ImageOptions,
): Promise<Docker.ImageInspectInfo> {
  onProgress(`pulling the image ${reference}`);
  try {
    const stream = await docker.pull(withTag(reference), { abortSignal: signal });
    await new Promise<void>((resolve, reject) => {
      docker.modem.followProgress(
        stream,
        (error: Error | null, steps: readonly Step[]) => {
          settle(failureOf(error, steps), resolve, reject);
        },
        ({ status, id, progress }: Step) => {
          // One line per state of a layer, without its download progress.
          if (progress === undefined && status !== undefined && id !== undefined)
            onProgress(`${id}: ${status}`);
        },
      );
    });
  } catch (error) {
    throw notPulled(reference, error);
  }
  const found = await inspectImage(docker, reference);
  if (!found) throw unavailable(`The image ${reference} is missing although it was pulled.`);
  return found;
}

/** Loads an archived image into the daemon. Rejects with `guest_unavailable` and one sentence. */
export async function loadArchive(
  docker: Docker,
  { file, tag }: { file: string; tag: string },
): Promise<Docker.ImageInspectInfo> {
  try {
    const stream = await docker.loadImage(createReadStream(file));
    await new Promise<void>((resolve, reject) => {
      docker.modem.followProgress(stream, (error: Error | null, steps: readonly Step[]) => {
        settle(failureOf(error, steps), resolve, reject);
      });
    });
  } catch (error) {
    throw refused(`The image ${tag} cannot be given to the Docker daemon`, error);
  }
  const found = await inspectImage(docker, tag);
  if (!found) throw unavailable(`The image ${tag} is missing although the daemon has loaded it.`);
  return found;
}

interface Step {
  status?: string;
  id?: string;
  progress?: string;
  error?: string;
}

/** The daemon reports most failures in the stream, whose status is already 200. */
function failureOf(error: Error | null, steps: readonly Step[]): Error | undefined {
  const message = steps.find((step) => step.error !== undefined)?.error;
  return error ?? (message === undefined ? undefined : new Error(message));
}

function settle(
  failure: Error | undefined,
  resolve: () => void,
  reject: (failure: Error) => void,
): void {
  if (failure) reject(failure);
  else resolve();
}

/** Without a tag the daemon would pull all tags. */
function withTag(reference: string): string {
  const last = reference.slice(reference.lastIndexOf('/') + 1);
  return /[:@]/.test(last) ? reference : `${reference}:latest`;
}
