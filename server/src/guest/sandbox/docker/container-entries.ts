import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';

import type { ImageEntry } from '../image-folder.ts';
import { refused, statusOf } from './docker-trouble.ts';
import type { OwnContainers } from './own-containers.ts';

export interface EntriesRequest {
  /** Its id. */
  image: string;
  /** Absolute, in the image. */
  folder: string;
  /** The labels of the container that is created for the request and never runs. */
  labels: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

/** An image folder's entries from the daemon's archive; none if it is missing. Rejects with `guest_unavailable`. */
export async function* containerEntries(
  containers: OwnContainers,
  { image, folder, labels, signal }: EntriesRequest,
): AsyncGenerator<ImageEntry> {
  const what = `The image's ${folder} cannot be read`;
  const { container, remove } = await containers
    .create({ Image: image, Cmd: ['never-run'], Entrypoint: [], Labels: { ...labels } })
    .catch((error: unknown) => {
      throw refused(what, error);
    });
  const entries = extract();
  try {
    const archive = await container.getArchive({ path: folder, abortSignal: signal });
    const packed = pipeline(archive, entries, { signal });
    packed.catch(() => undefined); // the entries report it
    for await (const entry of entries) {
      yield* imageEntry(entry.header, folder, () => buffer(entry));
      entry.resume();
    }
    await packed;
  } catch (error) {
    if (statusOf(error) === 404) return;
    throw refused(what, error);
  } finally {
    entries.destroy();
    await remove();
  }
}

/** Names in Docker's archive begin with that of the folder itself. */
function* imageEntry(
  { name, type, size }: Header,
  folder: string,
  content: ImageEntry['content'],
): Generator<ImageEntry> {
  const [, ...parts] = name.replace(/\/$/, '').split('/');
  const kind = type === 'directory' ? 'folder' : type === 'file' ? 'file' : 'other';
  if (parts.length > 0) yield { path: parts.join('/'), kind, size, content };
  else if (kind !== 'folder') throw new Error(`${folder} is no folder`);
}
