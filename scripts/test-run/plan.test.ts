import { describe, expect, it } from 'vitest';
import { suites } from '../suites.ts';
import { commandOf, jobsOf, planJobs, type Wish } from './plan.ts';
import { hasSelected, parseTestFile } from './test-file.ts';

const suite = (wanted: string) => {
  const found = suites.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`no suite ${wanted}`);
  return found;
};

// Put together, because this file is read for such words too.
const tag = (name: string): string => `/** @module-${'tag'} ${name} */`;
const tagged = (name: string): string => `it('b', { tags: '${name}' })`;
const needs = (...names: string[]): string => names.map((name) => `// @${'needs'} ${name}`).join();

const files = [
  parseTestFile('server/test/integration/plain.test.ts', "it('works')"),
  parseTestFile('server/test/integration/both.test.ts', `it('a'); ${tagged(`release`)}`),
  parseTestFile('server/test/integration/late.test.ts', tag(`release`)),
  parseTestFile(
    'server/test/integration/some.test.ts',
    `it('a', ${'releaseUnless'}(isOfEveryPush))`,
  ),
  parseTestFile('server/test/integration/night.test.ts', tag(`nightly`) + tag('alone')),
  parseTestFile('server/test/integration/seeds.test.ts', tag(`seeds`)),
];
const ofSandboxes = parseTestFile(
  'server/test/integration/sandboxes.test.ts',
  `${tag('release')} describeWhere(${'servedGvisors'}, () => it('a'))`,
);

const namesFor = (selection: Wish['selection'], ...filters: string[]): string[] =>
  jobsOf(suite('integration'), files, { selection, suiteNames: [], filters }).map(
    ({ name }) => name,
  );

describe('the files of a command', () => {
  it('are those that have a test of it', () => {
    const push = ['plain', 'both', 'some', 'seeds'].map((name) => `integration/${name}`);
    expect(namesFor('push')).toEqual(push);
    const rest = ['both', 'late', 'some'].map((name) => `integration/${name}`);
    expect(namesFor('rest')).toEqual(rest);
    const all = ['plain', 'both', 'late', 'some', 'seeds'].map((name) => `integration/${name}`);
    expect(namesFor('all')).toEqual(all);
    expect(namesFor('nightly')).toEqual(['integration/night', 'integration/seeds']);
    expect([hasSelected(ofSandboxes, 'rest'), hasSelected(ofSandboxes, 'nightly')]).toEqual([
      true,
      true,
    ]);
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
      'kill/some every',
      'kill/night every',
      'kill/seeds every',
    ]);
  });

  it('declare that they want the machine for themselves, and what they need of it', () => {
    const file = parseTestFile(
      'server/test/integration/a.test.ts',
      tag('alone') + needs('postgresql', 'contract'),
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
