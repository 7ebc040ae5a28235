import { describe, expect, it } from 'vitest';
import { suites } from '../suites.ts';
import { commandOf, jobsOf, planJobs, type Wish } from './plan.ts';
import { parseTestFile } from './test-file.ts';

const suite = (wanted: string) => {
  const found = suites.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`no suite ${wanted}`);
  return found;
};

const files = [
  parseTestFile('server/test/integration/plain.test.ts', "it('works')"),
  parseTestFile('server/test/integration/both.test.ts', "it('a'); it('b', { tags: 'release' })"),
  parseTestFile('server/test/integration/late.test.ts', '/** @module-tag release */'),
  parseTestFile(
    'server/test/integration/night.test.ts',
    '// @module-tag nightly\n// @module-tag alone',
  ),
];

const namesFor = (selection: Wish['selection'], ...filters: string[]): string[] =>
  jobsOf(suite('integration'), files, { selection, suiteNames: [], filters }).map(
    ({ name }) => name,
  );

describe('the files of a command', () => {
  it('are those that have a test of it', () => {
    expect(namesFor('push')).toEqual(['integration/plain', 'integration/both']);
    expect(namesFor('rest')).toEqual(['integration/both', 'integration/late']);
    expect(namesFor('all')).toEqual(['integration/plain', 'integration/both', 'integration/late']);
    expect(namesFor('nightly')).toEqual(['integration/night']);
  });

  it('are those whose names contain the words', () => {
    expect(namesFor('all', 'late', 'plain')).toEqual(['integration/plain', 'integration/late']);
  });

  it('are repeated at night where a suite wants it, with the nightly ones', () => {
    const wish: Wish = { selection: 'nightly', suiteNames: [], filters: [] };
    const kill = jobsOf(suite('kill'), files, wish);
    expect(kill.map(({ name, selection }) => `${name} ${selection}`)).toEqual([
      'kill/plain every',
      'kill/both every',
      'kill/late every',
      'kill/night every',
    ]);
  });

  it('say that they want the machine for themselves, and what they need of it', () => {
    const file = parseTestFile(
      'server/test/integration/a.test.ts',
      '// @module-tag alone\n// @needs postgresql, @needs contract',
    );
    const [job] = jobsOf(suite('integration'), [file], {
      selection: 'all',
      suiteNames: [],
      filters: [],
    });
    expect(job).toMatchObject({
      isAlone: true,
      needs: ['engine', 'python', 'contract'],
      parts: expect.arrayContaining(['postgresql', 'go']),
    });
  });
});

describe('the command of a job', () => {
  const job = (name: string, ...filters: string[]) => {
    const suiteNames = [name.split('/')[0] ?? ''];
    const found = planJobs({ selection: 'all', suiteNames, filters }).find(
      (one) => one.name === name,
    );
    if (found === undefined) throw new Error(`no job ${name}`);
    return commandOf(found, 1, undefined);
  };

  it('names the file where each file is a job, and none where all are meant', () => {
    expect(job('kill/stop').args.at(-1)).toBe('server/test/kill/stop.test.ts');
    expect(job('spec').args.at(-1)).toMatch(/^--reporter=/);
    expect(job('spec', 'store').args.at(-1)).toBe('server/test/spec/store.test.ts');
  });

  it('gives Playwright the files of one folder', () => {
    expect(job('e2e/studio').args).toContain('--project=studio');
    expect(job('e2e/shell', 'shell/session').args.at(-1)).toBe('shell/session.spec.ts');
  });
});
