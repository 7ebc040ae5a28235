import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { renderConfigDocs } from '../server/src/config/render-docs.ts';
import { apiClientFiles, leftOverClientFiles } from './api-client.ts';
import { errorDocs } from './error-docs.ts';
import { hostMessages, javascriptGuestMessages } from './guest-messages.ts';
import { limitDocs } from './limit-docs.ts';
import { openApiDocument } from './openapi-document.ts';
import { permissionTable, withPermissionTable } from './policy-docs.ts';

/** Writes what is made from the sources; with `--check`, fails when a committed file differs instead. */
const root = new URL('../', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('server/package.json', root), 'utf8'));

const document = openApiDocument(String(version));
const files: Record<string, string> = {
  'server/openapi.json': JSON.stringify(document),
  'docs/errors.md': errorDocs(),
  'docs/config.md': renderConfigDocs(),
  'docs/limits.md': limitDocs(),
  'server/src/guest/wire/proto-messages.ts': hostMessages(),
  'server/guests/js/src/messages.ts': javascriptGuestMessages(),
};

const isCheck = process.argv.includes('--check');
const stale: string[] = [];
for (const [name, text] of Object.entries(files)) {
  const file = fileURLToPath(new URL(name, root));
  write(name, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}
// The rest of that page is written by hand.
const table = await format(permissionTable(), { parser: 'markdown' });
const policyPage = readFileSync(new URL('docs/policy.md', root), 'utf8');
write('docs/policy.md', withPermissionTable(policyPage, table));
// The client comes formatted by its generator, and the formatter leaves that folder alone.
const client = await apiClientFiles(document);
for (const [name, text] of Object.entries(client)) write(name, text);
for (const name of leftOverClientFiles(fileURLToPath(root), client)) {
  stale.push(name);
  if (!isCheck) rmSync(new URL(name, root));
}

if (isCheck && stale.length > 0) {
  console.error(`Not up to date: ${stale.join(', ')}. Run npm run generate.`);
  process.exitCode = 1;
} else {
  console.log(stale.length > 0 ? `Wrote ${stale.join(', ')}.` : 'Everything is up to date.');
}

function write(name: string, wanted: string): void {
  const file = fileURLToPath(new URL(name, root));
  if (read(file) === wanted) return;
  stale.push(name);
  if (isCheck) return;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, wanted);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
