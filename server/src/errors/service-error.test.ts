import { execFile } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { expect, it } from 'vitest';

import { reasonOf } from './service-error.ts';

const missing = '/nowhere/of/ada';

it.each([
  ['a file', () => readFile(missing), 'ENOENT: no such file or directory'],
  ['a folder', () => mkdir(`${missing}/x`), 'ENOENT: no such file or directory'],
  ['what is no folder', () => rm('/dev/null/ada'), 'ENOTDIR: not a directory'],
  ['a socket', () => connected(missing), 'connect ENOENT'],
  ['a program', () => started(missing), 'spawn ENOENT'],
  ['its own words', () => Promise.reject(new Error('no answer, ever')), 'no answer, ever'],
  ['no error', () => Promise.reject(new Error('', { cause: 'x' })), ''],
])('reports what is wrong with %s without its path', async (_, fail, reason) => {
  const error: unknown = await fail().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(reasonOf(error)).toBe(reason);
});

function connected(path: string): Promise<void> {
  return new Promise((resolve, reject) => connect(path).on('error', reject).on('connect', resolve));
}

function started(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(path, (error) => (error ? reject(error) : resolve()));
  });
}
