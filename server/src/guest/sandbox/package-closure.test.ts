import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { packageClosure } from './package-closure.ts';

let folder = '';
beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'closure-')));
});
afterEach(() => rm(folder, { recursive: true }));

async function install(location: string, manifest: object): Promise<string> {
  const at = path.join(folder, location);
  await mkdir(at, { recursive: true });
  await writeFile(path.join(at, 'package.json'), JSON.stringify(manifest));
  return at;
}

it('copies what a program needs, two versions of a package as well, and nothing beside it', async () => {
  const all = { b: '2', '@s/c': '1' };
  await install('node_modules/a', { version: '1', dependencies: all });
  await install('node_modules/a/node_modules/b', { version: '2' });
  await install('node_modules/b', { version: '1', optionalDependencies: { gone: '1' } });
  await install('node_modules/secret', { version: '1' });
  // A package manager may keep them elsewhere and link them.
  await install('store/c', { version: '1', dependencies: { a: '1' } });
  await mkdir(path.join(folder, 'node_modules/@s'));
  await symlink(path.join(folder, 'store/c'), path.join(folder, 'node_modules/@s/c'));
  const main = path.join(folder, 'main.js');

  const copied = await packageClosure(['b', 'a'], main, path.join(folder, 'cache'));
  expect((await readdir(path.join(copied, 'node_modules'))).toSorted()).toEqual(['@s', 'a', 'b']);
  const version = async (name: string): Promise<unknown> =>
    (
      JSON.parse(await readFile(path.join(copied, name, 'package.json'), 'utf8')) as object & {
        version: string;
      }
    ).version;
  expect(await version('node_modules/b')).toBe('1');
  expect(await version('node_modules/a/node_modules/b')).toBe('2');
  expect(await packageClosure(['b', 'a'], main, path.join(folder, 'cache'))).toBe(copied);
  await expect(packageClosure(['gone'], main, folder)).rejects.toThrow('gone');
});
