import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A hash over everything that goes into a Go program: tests, test data and pages do not. */
export function hashGoSources(folder: string): string {
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
