/*
 * `images/` provides the container images of sandboxes: `pullImage`, `unpackImage` and `packImage` run the program
 * `native/images` (go-containerregistry) as a child process, with a signal, a time limit and progress, and turn its
 * last line into a result or into `image_unavailable` with a reason ([docs/images.md](docs/images.md)). The composition
 * (`open-image-sandbox.ts`, `mcp-tools.ts`, `build-images.ts`, `pack-image.ts`) uses `image-source.ts`: a root tree for
 * gVisor, an archive for a daemon, whose trust in registries the service cannot configure.
 *
 * It is a program and not WebAssembly because it needs sockets, files and credential helpers; a child process and not a
 * server because a pull ends. It ends with its parent (a pipe). After it was killed, the next one reuses or removes
 * what remains: partial downloads under a lock, incomplete trees and archives in temporary folders.
 *
 * Layers are untrusted until they are unpacked: paths are resolved within the tree and every step goes through an
 * opened folder (`os.Root`), so that a link that replaces a folder meanwhile cannot lead outside. The program is in the
 * platform's package, next to the engine; in a checkout it is built when it is first needed.
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import { forAbandonedFolders, makeOwnedFolder } from '../guest/process/owned-folder.ts';
import { findImagesProgram } from './find-program.ts';
import { packImage, pullImage, unpackImage } from './images.ts';
import type {
  ImageProgress,
  ImageTool,
  PackRequest,
  RegistryTrust,
  UnpackedImage,
} from './port.ts';

const ARCHIVE_PREFIX = 'agent-image-';

export interface ImageSourceOptions {
  /** The service's cache directory; images are kept in `images` below it. */
  readonly cacheDir: string;
  readonly trust: RegistryTrust;
}

export interface SourceRun {
  readonly signal: AbortSignal;
  /** Receives the progress of a pull, line by line. */
  readonly onProgress: (line: string) => void;
}

export interface MakeRequest extends Pick<PackRequest, 'layers' | 'labels' | 'env' | 'tag'> {
  readonly base: string;
  /** It is pushed to the registry of its tag, too. */
  readonly isPushed?: boolean;
  /** Advice for the user when the base is unavailable. Absent: the advice for the command line's `--base`. */
  readonly advice?: string;
}

/**
 * Images for sandboxes, without a container engine. All methods reject with `guest_unavailable` and one sentence with
 * advice for the user.
 */
export interface ImageSource {
  /** The root tree of an image, pulled and unpacked at the first use and kept in the cache. */
  unpack(reference: string, run: SourceRun): Promise<UnpackedImage>;
  /** Unpacks into a new folder that no other caller uses. */
  unpackTo(reference: string, folder: string, run: SourceRun): Promise<void>;
  /**
   * Makes an image in the cache from another image, or from an absolute folder with the files of a Linux; returns its
   * digest.
   */
  make(request: MakeRequest, run: SourceRun): Promise<string>;
  /** Passes an image to `load` as an archive for `docker load`, which contains it under the given tag. */
  withArchive<Result>(
    reference: string,
    run: SourceRun,
    load: (archive: { file: string; tag: string }) => Promise<Result>,
  ): Promise<Result>;
}

/** The images of this machine's cache and of registries. Their program is searched for at the first use. */
export function imageSource({ cacheDir, trust }: ImageSourceOptions): ImageSource {
  const cacheFolder = imageCacheOf(cacheDir);
  const toolFor = async ({ signal, onProgress }: SourceRun): Promise<ImageTool> => ({
    program: await findImagesProgram({ signal, onProgress }),
    cacheFolder,
  });
  const pulled = async (reference: string, run: SourceRun): Promise<[ImageTool, string]> => {
    const { onProgress } = run;
    const tool = await toolFor(run);
    onProgress(`looking for the image ${reference}`);
    const image = await pullImage(tool, { reference, trust }, steps(run, reference));
    return [tool, image.digest];
  };
  return {
    unpack: (reference, run) =>
      explained(async () => {
        const [tool, digest] = await pulled(reference, run);
        const folder = path.join(cacheFolder, 'trees', digest.replace(':', '-'));
        const request = { image: digest, folder, isReused: true };
        return await unpackImage(tool, request, steps(run, reference));
      }),
    unpackTo: (reference, folder, run) =>
      explained(async () => {
        const [tool, image] = await pulled(reference, run);
        await unpackImage(tool, { image, folder }, steps(run, reference));
      }, 'name another image with --mcp-tools-image'),
    make: ({ base, isPushed = false, advice = OTHER_BASE, ...request }, run) =>
      explained(
        async () => {
          const isFolder = path.isAbsolute(base);
          const [tool, from] = isFolder ? [await toolFor(run), base] : await pulled(base, run);
          const output = isPushed ? { kind: 'push' as const, trust } : undefined;
          const wanted = { ...request, base: from, ...(output && { output }) };
          const image = await packImage(tool, wanted, steps(run, request.tag));
          return image.digest;
          // Messages may name folders here: they are those of the user's command.
        },
        advice,
        {},
      ),
    withArchive: async (reference, run, load) => {
      const folder = await makeOwnedFolder(ARCHIVE_PREFIX);
      const archive = { file: path.join(folder, 'image.tar'), tag: tagFor(reference) };
      try {
        await explained(async () => {
          const [tool, base] = await pulled(reference, run);
          const output = { kind: 'docker-tar', path: archive.file } as const;
          const request = { base, layers: [], tag: archive.tag, output };
          await packImage(tool, request, steps(run, reference));
        });
        return await load(archive);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Removes the archives of killed services: each is as large as its image. Never rejects. */
export async function removeAbandonedArchives(): Promise<void> {
  await forAbandonedFolders(ARCHIVE_PREFIX, (folder) => rm(folder, { recursive: true }));
}

const OTHER_BASE = 'name another image or a folder with --base';

/** The folder of the images; several services may use it. */
export function imageCacheOf(cacheDir: string): string {
  return path.join(cacheDir, 'images');
}

/** The tag of an image in its archive; a reference by digest has no tag and gets a generated one. */
function tagFor(reference: string): string {
  const [, digest] = /@sha256:([0-9a-f]{12})/.exec(reference) ?? [];
  return digest === undefined ? reference : `agent-runtime-pulled:${digest}`;
}

/** Reports a line for every tenth of a step. */
function steps(
  { signal, onProgress }: SourceRun,
  reference: string,
): { signal: AbortSignal; onProgress: (progress: ImageProgress) => void } {
  let reported = '';
  return {
    signal,
    onProgress({ step, done, total }) {
      const percent = total > 0 ? Math.floor((done / total) * 10) * 10 : 100;
      const line = `${verbs[step]} the image ${reference}: ${percent} %`;
      if (line !== reported) onProgress(line);
      reported = line;
    },
  };
}

const verbs: Readonly<Record<ImageProgress['step'], string>> = {
  download: 'downloading',
  unpack: 'unpacking',
  pack: 'packing',
  write: 'writing',
  push: 'pushing',
};

/** Reasons that do not apply to other or locally built images. */
const ofTheRegistry = new Set([
  ...['image_not_found', 'platform_missing', 'registry_unauthorized', 'registry_unreachable'],
  'registry_failed',
]);

/**
 * Replaces messages of the program that name folders of this machine, since clients see them; the originals are logged.
 */
const ofThisMachine: Readonly<Record<string, string>> = {
  folder_unusable:
    'The images of the cache directory cannot be read or written; see to its rights (SERVICE_LOG_LEVEL=debug names the file)',
  target_exists:
    'Part of the image exists already; remove `images` of the cache directory while no service runs',
  internal:
    "The image cannot be used, and why is in the service's log only (SERVICE_LOG_LEVEL=debug)",
};

async function explained<Result>(
  work: () => Promise<Result>,
  advice = 'make the image with `service image build`, or name another one with --guest-image',
  meanings = ofThisMachine,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'image_unavailable') throw error;
    const { reason } = error.details ?? {};
    const what = meanings[String(reason)] ?? error.message.replace(/\.$/, '');
    const sentence = ofTheRegistry.has(String(reason)) ? `${what}; ${advice}.` : `${what}.`;
    throw new ServiceError('guest_unavailable', sentence, { cause: error });
  }
}
