import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The Go sources of the engine in a checkout. */
export function engineSources(checkout: string): string {
  return path.join(checkout, 'server/native/engine');
}

/** A hash over everything that goes into the engine's binary: tests, test data and pages do not. */
export function hashEngineSources(checkout: string): string {
  const folder = engineSources(checkout);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => /\.go$|^go\.(mod|sum)$/.test(file))
    .filter((file) => !file.startsWith('testdata/') && !file.endsWith('_test.go'))
    .toSorted();
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(path.join(folder, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 16);
}
