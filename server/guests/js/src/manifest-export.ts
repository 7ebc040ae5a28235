import { resolve } from 'node:path';
import { openAgentImporter } from './agent-import.ts';

/** `file:export`, or a file alone for its default export. */
export function splitPath(
  path: string,
  sourceDir: string,
): { file: string; relativePath: string; exportName: string } {
  const colon = path.lastIndexOf(':');
  const [relativePath, exportName] =
    colon > 1 ? [path.slice(0, colon), path.slice(colon + 1)] : [path, 'default'];
  if (relativePath === '') throw new Error(`${path}: expected file:export.`);
  return {
    file: resolve(sourceDir, relativePath),
    relativePath,
    exportName: exportName || 'default',
  };
}

/** The export that a path of the manifest names; rejects when it does not exist. */
export async function importExport(
  path: string,
  { sourceDir, tsxPath }: { sourceDir: string; tsxPath?: string },
): Promise<unknown> {
  const { file, relativePath, exportName } = splitPath(path, sourceDir);
  const importer = openAgentImporter(tsxPath);
  try {
    const module = await importer.import(file);
    if (!(exportName in module)) throw new Error(`${relativePath} has no export "${exportName}"`);
    return module[exportName];
  } finally {
    importer.close();
  }
}
