import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { renderConfigDocs } from '../server/src/config/render-docs.ts';
import { errorDocs } from './error-docs.ts';
import { limitDocs } from './limit-docs.ts';
import { openApiDocument } from './openapi-document.ts';

/** Writes what is made from the sources; with `--check`, fails when a committed file differs instead. */
const root = new URL('../', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('server/package.json', root), 'utf8'));

const files: Record<string, string> = {
  'server/openapi.json': JSON.stringify(openApiDocument(String(version))),
  'docs/errors.md': errorDocs(),
  'docs/config.md': renderConfigDocs(),
  'docs/limits.md': limitDocs(),
};

const isCheck = process.argv.includes('--check');
const stale: string[] = [];
for (const [path, text] of Object.entries(files)) {
  const file = fileURLToPath(new URL(path, root));
  const wanted = await format(text, { ...(await resolveConfig(file)), filepath: file });
  if (read(file) === wanted) continue;
  stale.push(path);
  if (!isCheck) writeFileSync(file, wanted);
}

if (isCheck && stale.length > 0) {
  console.error(`Not up to date: ${stale.join(', ')}. Run npm run generate.`);
  process.exitCode = 1;
} else {
  console.log(stale.length > 0 ? `Wrote ${stale.join(', ')}.` : 'Everything is up to date.');
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
