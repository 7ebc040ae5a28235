/** Composition of the programs that agents start as MCP servers in their sandbox. */
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';

import { ServiceError } from '../errors/service-error.ts';
import { forAbandonedFolders, makeOwnedFolder } from '../guest/process/owned-folder.ts';
import type { McpTools } from '../guest/pool/sandboxed-guests.ts';
import type { ImageSource, SourceRun } from '../images/image-source.ts';

const PREFIX = 'agent-mcp-tools-';

/**
 * Unpacks the root tree of an image into a temporary folder, which this service removes at its end, or the next service
 * after it was killed. An absolute path is used like an image: a folder with its files. Rejects with
 * `guest_unavailable` and one sentence.
 */
export async function openMcpTools(
  images: ImageSource,
  reference: string,
  run: SourceRun,
): Promise<McpTools> {
  if (path.isAbsolute(reference)) return await toolsOfFolder(reference);
  const owned = await makeOwnedFolder(PREFIX);
  const remove = (): Promise<void> => rm(owned, { recursive: true, force: true });
  try {
    const folder = path.join(owned, 'root');
    await images.unpackTo(reference, folder, run);
    return { folder, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function toolsOfFolder(folder: string): Promise<McpTools> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new ServiceError('guest_unavailable', `There is no folder of MCP tools ${folder}.`);
  }
  return { folder, remove: () => Promise.resolve() };
}

/** Removes the folders of killed services. Never rejects. */
export async function removeAbandonedMcpTools(): Promise<void> {
  await forAbandonedFolders(PREFIX, (folder) => rm(folder, { recursive: true, force: true }));
}
