import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient } from '@hey-api/openapi-ts';

const generatedFolder = 'renderer/src/api/generated';

/** The studio's client of the API, made from the OpenAPI document: text by path from the root. */
export async function apiClientFiles(document: object): Promise<Record<string, string>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'api-client-'));
  const output = path.join(folder, 'generated');
  try {
    await createClient({
      // The generator takes any document and checks it itself.
      input: document as Record<string, unknown>,
      output: { path: output, module: { extension: '.ts' } },
      logs: { file: false, level: 'silent' },
      plugins: [
        '@hey-api/typescript',
        '@hey-api/sdk',
        '@tanstack/react-query',
        // The file beside the generated folder, where requests get their base and their principal.
        { name: '@hey-api/client-fetch', runtimeConfigPath: path.join(folder, 'client.ts') },
      ],
    });
    return Object.fromEntries(
      filesOf(output).map((file) => [
        `${generatedFolder}/${path.relative(output, file)}`,
        readFileSync(file, 'utf8'),
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The generated files that exist but are no longer generated. */
export function leftOverClientFiles(root: string, made: Record<string, string>): string[] {
  return filesOf(path.join(root, generatedFolder))
    .map((file) => path.relative(root, file))
    .filter((file) => made[file] === undefined);
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .toSorted();
  } catch {
    return [];
  }
}
