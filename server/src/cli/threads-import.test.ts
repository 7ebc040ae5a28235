import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { exitCodeOf } from './exit-code.ts';
import { runProgram } from './program.ts';
import type { ThreadArchive } from './threads-moving.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'threads-import-')));
  mkdirSync(join(folder, 'agent'));
  writeFileSync(join(folder, 'who.json'), '{"sub":"ada","mroles":["r"]}');
  return () => rmSync(folder, { recursive: true });
});

/** What the archive is asked for, and what the command reports of two runs that had not ended. */
async function importing(...words: string[]) {
  const asked: unknown[] = [];
  const progress: string[] = [];
  const out: string[] = [];
  const archive: ThreadArchive = {
    exportThreads: () => Promise.reject(new Error('nothing is exported')),
    async importThreads(_config, { resume }) {
      asked.push(resume);
      const [resumedRuns, endedRuns] = resume ? [2, 0] : [0, 2];
      return {
        origin: 'According to the file …',
        imported: 1,
        existing: [],
        resumedRuns,
        endedRuns,
      };
    },
    async describeBundle(options) {
      asked.push(options);
      return ['According to the file …', '1 thread:'];
    },
  };
  const code = await runProgram(['threads', 'import', 'agent', 'file.gz', ...words], {
    version: '0.0.0',
    environment: {},
    workingDir: folder,
    output: { out: (line) => void out.push(line), progress: (line) => void progress.push(line) },
    start: () => Promise.reject(new Error('nothing may start')),
    loadArchive: () => Promise.resolve(archive),
    loadPolicyTools: () => Promise.reject(new Error('no policies')),
    loadImageTools: () => Promise.reject(new Error('not asked for')),
    findMissing: {
      packages: () => Promise.resolve([]),
      images: () => Promise.resolve(undefined),
    },
    nextSteps: () => [],
  }).catch((error: unknown) => {
    progress.push(String(error instanceof Error ? error.message : error));
    return exitCodeOf(error);
  });
  return { code, asked, out, progress };
}

it('cancels runs that had not ended, and names the flag with which they would continue', async () => {
  const sentence =
    '2 runs had not ended and were cancelled. With --resume-runs they would continue.';
  expect(await importing()).toEqual({
    code: 0,
    asked: [undefined],
    out: [`1 thread imported from ${join(folder, 'file.gz')}`],
    progress: ['According to the file …', sentence],
  });
});

it('continues them without a principal, or as the one that a file names', async () => {
  const progress = [
    'According to the file …',
    '2 runs had not ended: they continue at the next start.',
  ];
  expect(await importing('--resume-runs')).toMatchObject({ code: 0, asked: [{}], progress });
  const who = ['--principal-file', join(folder, 'who.json')];
  expect(await importing('--resume-runs', ...who)).toMatchObject({
    asked: [{ principal: { sub: 'ada', mroles: ['r'] } }],
  });
  expect(await importing(...who)).toEqual({
    code: 2,
    asked: [],
    out: [],
    progress: [expect.stringContaining('it needs --resume-runs')],
  });
});

it('imports nothing when it only shows what would happen', async () => {
  const file = join(folder, 'file.gz');
  writeFileSync(file, 'bytes');
  const words = ['--dry-run', '--thread', 'a', '--as', 'b', '--resume-runs'];
  expect(await importing(...words)).toEqual({
    code: 0,
    asked: [{ file, isSkippingExisting: false, threadId: 'a', as: 'b', resume: {} }],
    out: [`${file}, 5 bytes`, 'According to the file …', '1 thread:'],
    progress: ['Nothing was imported (--dry-run).'],
  });
});
