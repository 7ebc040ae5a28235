import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { NAMED_FILE_BYTES } from '../model/limits/sandbox-limits.ts';
import { type Manifest, readManifest } from './manifest.ts';

let root = '';
beforeEach(() => (root = realpathSync(mkdtempSync(path.join(tmpdir(), 'sandboxed-')))));
afterEach(() => rmSync(root, { recursive: true }));

const at = (name: string): string => path.join(root, name);

function put(name: string, text = ''): void {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
}

/** The manifest of `repo/app`, for agents in a sandbox. */
async function read(manifest: object, ...allowedFolders: string[]): Promise<Manifest> {
  put('repo/app/agent.py');
  put('repo/app/agent.json', JSON.stringify({ graphs: { a: './agent.py:graph' }, ...manifest }));
  return await readManifest(at('repo/app'), { outer: { SECRET: 'user' }, allowedFolders });
}

const refusal = (entry: string): object => ({
  code: 'manifest_invalid',
  message: expect.stringMatching(
    new RegExp(`agent\\.json: ${entry}: .*outside.*guest\\.source_folders`),
  ) as unknown,
});

describe('env of a sandboxed folder', () => {
  it('is no file of this machine, by its own name or behind a link', async () => {
    await expect(read({ env: '/proc/self/environ' })).rejects.toMatchObject(refusal('env'));
    put('secrets/.env', 'KEY=1');
    symlinkSync(at('secrets/.env'), (put('repo/app/x'), at('repo/app/link.env')));
    await expect(read({ env: './link.env' })).rejects.toMatchObject(refusal('env'));
    expect((await read({ env: './link.env' }, at('secrets'))).environment).toEqual({ KEY: '1' });
  });

  it('has nothing of /proc even where that is allowed', async () => {
    expect((await read({ env: '/proc/self/environ' }, '/proc')).environment).toEqual({});
  });

  it('does not get the variables of the user, only those that the file has itself', async () => {
    put('repo/app/my.env', 'A=1\nB=${A}${SECRET}${HOME:-no}');
    expect((await read({ env: 'my.env' })).environment).toEqual({ A: '1', B: '1no' });
    const outer = { SECRET: 'user' };
    const plain = await readManifest(at('repo/app'), { outer }); // --sandbox none
    expect(plain.environment).toEqual({ A: '1', B: '1userno' });
  });

  it('is a regular file of limited size', async () => {
    put('repo/app/x');
    execFileSync('mkfifo', [at('repo/app/fifo')]);
    const server = createServer().listen(at('repo/app/socket'));
    onTestFinished(() => void server.close());
    put('repo/app/large', 'x'.repeat(NAMED_FILE_BYTES + 1));
    symlinkSync('/dev/zero', at('repo/app/zero'));
    for (const [env, ...allowed] of [['fifo'], ['socket'], ['large'], ['zero', '/dev']]) {
      await expect(read({ env }, ...allowed)).rejects.toMatchObject({
        code: 'manifest_invalid',
        message: expect.stringContaining(`the file "${env}" cannot be read`) as unknown,
      });
    }
  });
});

describe('dependencies of a sandboxed folder', () => {
  it('are no folders of this machine, by their own name or behind a link', async () => {
    put('other/a.py');
    put('repo/app/x');
    symlinkSync(at('other'), at('repo/app/link'));
    for (const entry of ['/run', '../../other', './link', at('other')]) {
      const asked = read({ dependencies: [entry] });
      await expect(asked).rejects.toMatchObject(refusal('dependencies'));
    }
    await expect(read({ source: { root: '../../other' } })).rejects.toMatchObject(
      refusal('source.root'),
    );
    const { sourceFolders } = await read({ dependencies: ['./link'] }, at('other'));
    expect(sourceFolders).toEqual([at('repo/app'), at('other')]);
  });

  it('may be in the repository around it, which is never the home folder', async () => {
    put('repo/shared/a.py');
    const beside = { dependencies: ['../shared'] };
    await expect(read(beside)).rejects.toMatchObject(refusal('dependencies'));
    put('repo/.git/HEAD');
    expect((await read(beside)).sourceFolders).toEqual([at('repo/app'), at('repo/shared')]);
    const home = homedir();
    onTestFinished(() => void (process.env['HOME'] = home));
    process.env['HOME'] = at('repo');
    await expect(read(beside)).rejects.toMatchObject(refusal('dependencies'));
    process.env['HOME'] = at('repo/app/home');
    mkdirSync(at('repo/app/home'));
    await expect(read(beside)).rejects.toMatchObject(refusal('dependencies'));
  });
});

it('is read from no link that leads elsewhere', async () => {
  put('secret.json', '{"password": 1}');
  put('repo/app/agent.py');
  symlinkSync(at('secret.json'), at('repo/app/agent.json'));
  const reading = readManifest(at('repo/app'), { allowedFolders: [] });
  await expect(reading).rejects.toMatchObject({ message: expect.stringContaining('outside') });
});
