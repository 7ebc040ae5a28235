/** Starts Node: the cache is on for a whole process, and from its beginning. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';

it("keeps a guest's compiled modules in the named folder", () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'compile-cache-'));
  try {
    const program = path.join(folder, 'program.mjs');
    writeFileSync(program, 'export {};');
    const module = new URL('compile-cache.ts', import.meta.url);
    module.searchParams.set('folder', path.join(folder, 'compiled'));
    execFileSync(process.execPath, ['--import', module.href, program]);
    expect(readdirSync(path.join(folder, 'compiled'))).not.toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
