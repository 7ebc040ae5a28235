import { readFileSync, statSync } from 'node:fs';

import { POLICY_FILE_BYTES } from '../../model/limits/policy-limits.ts';
import type { ReadPolicyFile } from './rego-source.ts';

/** Reads a policy file from the disk: a regular file in UTF-8 of bounded size, also through a link. */
export const readPolicyFile: ReadPolicyFile = (path) => {
  try {
    const stats = statSync(path);
    // Reading other kinds of files might never end.
    if (!stats.isFile()) return { problem: 'is no regular file: name a file' };
    if (stats.size > POLICY_FILE_BYTES) {
      return { problem: `has more than ${POLICY_FILE_BYTES} bytes: split it` };
    }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)) };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist: correct the name';
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'is no UTF-8: save it as UTF-8';
  return `cannot be read (${typeof code === 'string' ? code : String(error)}): check its permissions`;
}
