import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { executableName } from '../native/platform-package.ts';
import { findImagesProgram } from './find-program.ts';
import type { ImageProgress } from './port.ts';
import { runProgram } from './run-program.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'images-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program that does what a shell script does. */
function script(body: string): { program: string; cacheFolder: string } {
  const program = path.join(folder, 'program');
  writeFileSync(program, `#!/bin/sh\n${body}\n`);
  chmodSync(program, 0o755);
  return { program, cacheFolder: path.join(folder, 'cache') };
}

const signal = new AbortController().signal;

it('returns the result of the last line and reports its progress', async () => {
  const progress: ImageProgress[] = [];
  const tool = script(
    `echo '{"event":"progress","step":"download","done":1,"total":2}'
     echo 'a line that is none of ours'
     echo '{"event":"done","result":{"digest":"sha256:1"}}'
     echo "$@" > ${path.join(folder, 'args')}`,
  );
  const run = {
    signal,
    limitMs: 7_000,
    onProgress: (one: ImageProgress) => void progress.push(one),
  };
  expect(await runProgram(tool, ['pull', '--name=a'], run)).toEqual({ digest: 'sha256:1' });
  expect(progress).toEqual([{ step: 'download', done: 1, total: 2 }]);
  expect(readFileSync(path.join(folder, 'args'), 'utf8').trim()).toBe(
    `pull --name=a --cache ${tool.cacheFolder} --timeout 7000ms --parent-pipe ` +
      '--max-manifest-bytes 4194304 --max-layers 256 --max-download-bytes 17179869184 ' +
      '--max-unpacked-bytes 34359738368 --max-files 1000000',
  );
});

it.each<[string, string, object]>([
  [
    'reports why, with the output of the program',
    `echo '{"event":"failed","code":"image_not_found","message":"There is no image a."}'; exit 1`,
    { message: 'There is no image a.', details: { reason: 'image_not_found' } },
  ],
  [
    'ends without a result',
    'exit 3',
    { message: 'The program for images ended with code 3.', details: { reason: 'internal' } },
  ],
  [
    'is killed',
    'kill -9 $$',
    { message: 'The program for images was killed.', details: { reason: 'internal' } },
  ],
])('fails with image_unavailable when the program %s', async (_, body, expected) => {
  await expect(runProgram(script(body), ['pull'], { signal })).rejects.toMatchObject({
    code: 'image_unavailable',
    ...expected,
  });
});

it('fails when there is no such program', async () => {
  const tool = { program: path.join(folder, 'none'), cacheFolder: folder };
  await expect(runProgram(tool, ['pull'], { signal })).rejects.toMatchObject({
    code: 'image_unavailable',
    details: { reason: 'program_missing' },
  });
});

it('stops the program, and fails with the reason of the signal', async () => {
  const controller = new AbortController();
  const tool = script(
    `trap 'echo stopped > ${path.join(folder, 'stopped')}; exit 1' TERM
     echo '{"event":"progress","step":"download","done":0,"total":1}'
     while :; do read -r _; done`,
  );
  const reason = new Error('no longer wanted');
  const run = { signal: controller.signal, onProgress: () => controller.abort(reason) };
  await expect(runProgram(tool, ['pull'], run)).rejects.toBe(reason);
  expect(readFileSync(path.join(folder, 'stopped'), 'utf8')).toBe('stopped\n');
});

it('is found where the desktop has it, and otherwise missed in one sentence', async () => {
  const onProgress = (): void => undefined;
  const options = { root: folder, requiredFrom: path.join(folder, 'x.js'), signal, onProgress };
  const platform = `${process.platform}-${process.arch}`;
  await expect(findImagesProgram(options)).rejects.toMatchObject({
    message: `There is no program for images: this package has none for ${platform}.`,
    details: { reason: 'program_missing' },
  });
  const program = path.join(folder, 'engine', platform, executableName('images'));
  mkdirSync(path.dirname(program), { recursive: true });
  writeFileSync(program, '');
  expect(await findImagesProgram(options)).toBe(program);
});
