// Starts processes: what a run promises is that none of them decides how it ends.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { reports, type Suite } from '../suites.ts';
import { closingPart } from '../test-report/closing-part.ts';
import type { SuiteResult } from '../test-report/suite-result.ts';
import type { Job } from './plan.ts';
import { runTests } from './test-run.ts';

const folder = 'test-run-test';
afterAll(() => rmSync(path.join(reports, folder), { recursive: true, force: true }));

/** A suite whose runner is a script of the shell; each line of its report is a test that passed. */
function job(name: string, script: string, options: Partial<Suite> = {}): Job {
  const suite: Suite = {
    name,
    files: [],
    job: 'suite',
    needs: [],
    invocation: ({ report }) => ({
      command: 'sh',
      args: ['-c', script],
      cwd: '.',
      env: { REPORT: report },
    }),
    parse: (text) => ({
      passed: text.trim().split('\n').length,
      skipped: 0,
      failures: [],
      files: [],
    }),
    ...options,
  };
  const selection = 'push';
  return {
    name: `${folder}/${name}`,
    suite,
    files: [],
    isWhole: true,
    isAlone: false,
    needs: [],
    parts: [],
    selection,
  };
}

async function run(jobs: readonly Job[], signal = new AbortController().signal) {
  const byName: Record<string, SuiteResult> = {};
  const { results } = await runTests({
    jobs,
    slots: 2,
    // A job that hangs has three times nothing, and the grace.
    usual: Object.fromEntries(jobs.map(({ name }) => [name, name.endsWith('hangs') ? 0 : 100])),
    graceSeconds: 3,
    endingLimitMs: 100,
    rounds: undefined,
    isCi: false,
    signal,
    onResult: (_, result) => (byName[result.suite] = result),
  });
  return { byName, closing: closingPart(results, { seconds: 1, remarks: [] }) };
}

const isAlive = (pid: string): boolean => {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
const printed = (name: string): string =>
  readFileSync(path.join(reports, folder, `${name}.log`), 'utf8').trim();

describe.runIf(process.platform === 'linux')(
  'a run of jobs that pass, hang, crash and leave processes',
  () => {
    it('comes to its closing line, with a failure for each, and nothing is left', async () => {
      const { byName, closing } = await run([
        job('passes', 'echo a >$REPORT; echo b >>$REPORT'),
        job('hangs', 'echo a >$REPORT; sleep 600 & echo $!; wait'),
        job('crashes', 'echo last words >&2; kill -9 $$'),
        job('stays', 'echo a >$REPORT; setsid sleep 600 >/dev/null 2>&1 & echo $!'),
        job('tests-nothing', 'exit 0'),
      ]);
      const notes = Object.fromEntries(
        Object.entries(byName).map(([name, { note, passed }]) => [name, [passed, note]]),
      );
      expect(notes).toEqual({
        passes: [2, undefined],
        hangs: [1, `${folder}/hangs was ended: it took longer than 3 s`],
        crashes: [0, 'ended with code 137 and left no report'],
        stays: [1, expect.stringContaining(`${folder}/stays left a process running: `)],
        'tests-nothing': [0, 'ended with code 0 and left no report'],
      });
      expect(byName['crashes']?.failures[0]?.message).toContain('last words');
      expect(closing.at(-1)).toBe('4 passed, 4 failed');
      for (const name of ['hangs', 'stays'])
        await expect.poll(() => isAlive(printed(name))).toBe(false);
    });

    it('comes to its closing line when a report is broken or cannot be kept', async () => {
      const { byName, closing } = await run([
        job('broken', 'echo half >$REPORT', {
          parse: () => {
            throw new SyntaxError('Unexpected end of JSON input');
          },
        }),
        job('no-report', 'mkdir -p $REPORT'),
        job('passes-beside', 'echo a >$REPORT'),
      ]);
      rmSync(path.join(reports, folder, 'no-report.report'), { recursive: true });
      expect(byName['broken']?.note).toContain(`${folder}/broken left a broken report: `);
      expect(byName['no-report']?.note).toContain('EISDIR');
      expect(closing.at(-1)).toBe('1 passed, 2 failed');
    });

    it('is given up: what runs is ended, and what was not started is a failure', async () => {
      const givenUp = new AbortController();
      const jobs = ['a', 'b', 'c'].map((name) => job(name, 'echo begun; sleep 600'));
      const ended = run(
        jobs.map((each) => ({ ...each, name: `${each.name}-given-up` })),
        givenUp.signal,
      );
      await expect
        .poll(() => [printed('a-given-up'), printed('b-given-up')].join(' '))
        .toBe('begun begun');
      givenUp.abort();
      const { byName, closing } = await ended;
      expect(['a', 'b', 'c'].map((name) => byName[name]?.note)).toEqual([
        `${folder}/a-given-up was ended with the run`,
        `${folder}/b-given-up was ended with the run`,
        `${folder}/c-given-up was not started`,
      ]);
      expect(closing.at(-1)).toBe('0 passed, 3 failed');
    });
  },
);

it('reports prominently what a person lacks, and fails without it in CI', async () => {
  const there = job('there', 'echo a >$REPORT');
  const jobs = [{ ...job('lacks', 'exit 0'), parts: ['unobtainium'] }, there];
  const options = { slots: 1, usual: {}, rounds: undefined, signal: new AbortController().signal };
  const parts = { unobtainium: { title: 'Unobtainium', isThere: () => false, install: 'dig' } };
  const lines = async (isCi: boolean): Promise<string[]> => {
    const { results } = await runTests({
      ...options,
      jobs,
      parts,
      isCi,
      onResult: () => undefined,
    });
    return closingPart(results, { seconds: 1, remarks: [] });
  };
  const person = await lines(false);
  expect(person).toContain('! lacks            SKIPPED: Unobtainium is missing: dig');
  expect(person.at(-1)).toBe('1 passed, 0 failed');
  expect((await lines(true)).at(-1)).toBe('1 passed, 1 failed');
});
