import { resolve } from 'node:path';
import { openAgentImporter } from './agent-import.ts';

/** `file:export`, or a file alone for its default export. */
export function splitPath(
  path: string,
  sourceDir: string,
): { file: string; place: string; exportName: string } {
  const colon = path.lastIndexOf(':');
  const [place, exportName] =
    colon > 1 ? [path.slice(0, colon), path.slice(colon + 1)] : [path, 'default'];
  if (place === '') throw new Error(`${path}: expected file:export.`);
  return { file: resolve(sourceDir, place), place, exportName: exportName || 'default' };
}

/** What a path of the manifest names; rejects when it is not there. */
export async function importExport(
  path: string,
  { sourceDir, tsxPath }: { sourceDir: string; tsxPath?: string },
): Promise<unknown> {
  const { file, place, exportName } = splitPath(path, sourceDir);
  const importer = openAgentImporter(tsxPath);
  try {
    const module = await importer.import(file);
    if (!(exportName in module)) throw new Error(`${place} has no export "${exportName}"`);
    return module[exportName];
  } finally {
    importer.close();
  }
}
