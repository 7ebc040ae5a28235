import { existsSync } from 'node:fs';
import path from 'node:path';
import { run } from './command.ts';

/** A release of the package that brings the table of tokens along. */
const PACKAGE = 'litellm==1.75.0';

/**
 * The folder in which tiktoken finds the tokens of OpenAI's embeddings. It would download them from where nothing of
 * this run may go; a package has them.
 */
export async function tokenFiles(uv: string, cacheFolder: string): Promise<string> {
  const target = path.join(cacheFolder, '.tokens');
  const folder = path.join(target, 'litellm/litellm_core_utils/tokenizers');
  if (!existsSync(folder)) {
    await run(uv, ['pip', 'install', '--quiet', '--no-deps', '--target', target, PACKAGE]);
  }
  return folder;
}
