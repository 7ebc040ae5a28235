import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { readManifest } from './manifest.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'manifest-'));
  for (const name of ['chat.py', 'auth.py', 'auth.ts'])
    await writeFile(path.join(folder, name), '');
});

afterEach(() => rm(folder, { recursive: true }));

async function manifestWith(keys: object): ReturnType<typeof readManifest> {
  const manifest = { graphs: { chat: './chat.py:graph' }, ...keys };
  await writeFile(path.join(folder, 'langgraph.json'), JSON.stringify(manifest));
  return await readManifest(folder);
}

it.each([
  ['./auth.py:auth', 'python'],
  ['my_agent.security:auth', 'python'],
  ['./auth.ts:auth', 'javascript'],
])('reads auth %s as %s', async (target, language) => {
  const { auth, warnings } = await manifestWith({ auth: { path: target } });
  expect(auth).toEqual({ path: target, language, isStudioAuthDisabled: false });
  expect(warnings).toEqual([]);
});

it('reads disable_studio_auth', async () => {
  const auth = { path: './auth.py:auth', disable_studio_auth: true };
  expect((await manifestWith({ auth })).auth?.isStudioAuthDisabled).toBe(true);
});

it.each([
  ['it is not an object', './auth.py:auth'],
  ['"path" is not a string', { path: 1 }],
  ['there is no "path", but "Path"', { Path: './auth.py:auth' }],
  ['there is no file "./none.py"', { path: './none.py:auth' }],
  ['not of the form "./file.py:variable"', { path: './auth.py' }],
  [
    '"disable_studio_auth" is not true or false',
    { path: './auth.py:auth', disable_studio_auth: 'no' },
  ],
])('refuses an auth that lets it guess who may call: %s', async (reason, auth) => {
  await expect(manifestWith({ auth })).rejects.toMatchObject({
    code: 'manifest_invalid',
    message: expect.stringContaining(reason),
  });
});

it('warns that an auth without a path has no effect', async () => {
  const { auth, warnings } = await manifestWith({ auth: { openapi: {} } });
  expect(auth).toBeUndefined();
  expect(warnings).toEqual([expect.stringContaining('auth: without a "path"')]);
});

it.each([
  ['./auth.py:app', 'python'],
  ['my_agent.web:app', 'python'],
  ['./auth.ts:app', 'javascript'],
])('reads http.app %s as %s', async (target, language) => {
  const { app, warnings } = await manifestWith({ http: { app: target } });
  expect([app, warnings]).toEqual([{ path: target, language }, []]);
});

it.each<[string, object]>([
  ['http.app: it is not a string', { http: { app: { path: './auth.py:app' } } }],
  ['http.app: there is no file', { http: { app: './none.py:app' } }],
  [
    'http.app: it and "auth" are of two languages',
    { http: { app: './auth.ts:app' }, auth: { path: './auth.py:auth' } },
  ],
])('refuses an app that it cannot serve: %s', async (reason, keys) => {
  await expect(manifestWith(keys)).rejects.toMatchObject({
    code: 'manifest_invalid',
    message: expect.stringContaining(reason),
  });
});
