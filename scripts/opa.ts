import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** The release of OPA that the policy evaluator is made of. */
export const opaVersion = linkedVersion();

/** Where the command of that release is. */
export const opaFolder = path.join(root, '.cache/opa', opaVersion);

function linkedVersion(): string {
  const text = readFileSync(path.join(root, 'server/native/policy/go.mod'), 'utf8');
  const [, version] = /open-policy-agent\/opa (v[\d.]+)/.exec(text) ?? [];
  if (version === undefined) throw new Error('server/native/policy/go.mod names no OPA.');
  return version;
}
