// Which jobs a call of `npm test` has: the suites, divided by their files, for the tests that were asked for.
import { globSync } from 'node:fs';
import path from 'node:path';
import {
  preparations,
  reports,
  root,
  suites,
  type Preparation,
  type RunnerCommand,
  type Suite,
} from '../suites.ts';
import { hasSelected, readTestFile, type TestFile } from './test-file.ts';
import type { Selection } from './tiers.ts';

export interface Job {
  /** `unit`, `integration/waiting`, `e2e/studio`. */
  readonly name: string;
  readonly suite: Suite;
  readonly files: readonly TestFile[];
  /** Whether these are all files of the suite or folder. */
  readonly isWhole: boolean;
  readonly isAlone: boolean;
  /** What must have been made before, what these need included. */
  readonly needs: readonly Preparation[];
  /** Parts of the machine without which it can't run. */
  readonly parts: readonly string[];
  readonly selection: Selection;
}

export interface Wish {
  readonly selection: Selection;
  /** Names of suites; none means all. */
  readonly suiteNames: readonly string[];
  /** Parts of files' names; none means all. */
  readonly filters: readonly string[];
}

/** The jobs, in the order of the suites. */
export function planJobs(wish: Wish): Job[] {
  const { suiteNames } = wish;
  return suites
    .filter(({ name }) => suiteNames.length === 0 || suiteNames.includes(name))
    .flatMap((suite) => jobsOf(suite, filesOf(suite), wish));
}

/** The jobs of one suite with these files. */
export function jobsOf(
  suite: Suite,
  files: readonly TestFile[],
  { selection: wished, filters }: Wish,
): Job[] {
  const isRepeated = wished === 'nightly' && suite.isRepeatedNightly === true;
  const selection = isRepeated ? 'every' : wished;
  const isNamed = ({ file }: TestFile): boolean =>
    filters.length === 0 || filters.some((filter) => file.includes(filter));
  const groups = Map.groupBy(files, ({ file }) => jobName(suite, file));
  return [...groups].flatMap(([name, group]) => {
    // The runner chooses among its tests, by their tags.
    const chosen = group.filter(isNamed);
    if (!chosen.some((file) => hasSelected(file, selection))) return [];
    const declared = new Set(chosen.flatMap((file) => file.needs));
    const first = [...suite.needs, ...[...declared].filter(isPreparation)];
    const needs = [...new Set([...first, ...first.flatMap((need) => preparations[need].after)])];
    return {
      name,
      suite,
      files: chosen,
      isWhole: chosen.length === group.length,
      isAlone:
        suite.job === 'file' && chosen.some(({ moduleTags }) => moduleTags.includes('alone')),
      needs,
      parts: [
        ...(suite.parts?.(name) ?? []),
        ...[...declared].filter((need) => !isPreparation(need)),
        ...needs.flatMap((need) => preparations[need].parts),
      ],
      selection,
    };
  });
}

/** The command of a job, with so many workers. */
export function commandOf(job: Job, workers: number, rounds: number | undefined): RunnerCommand {
  const { name, suite, selection } = job;
  const files = job.isWhole && suite.job !== 'file' ? undefined : job.files.map(({ file }) => file);
  return suite.invocation({ name, selection, files, workers, rounds, report: reportOf(job) });
}

/** Where the runner of a job leaves its report. */
export function reportOf({ name }: Pick<Job, 'name'>): string {
  return path.join(reports, `${name}.report`);
}

/** Where what it prints is kept. */
export function logOf({ name }: Pick<Job, 'name'>): string {
  return path.join(reports, `${name}.log`);
}

function filesOf({ files, exclude = [] }: Suite): TestFile[] {
  const found = globSync([...files], {
    cwd: root,
    exclude: ['**/node_modules', '**/dist', ...exclude],
  });
  return found.toSorted().map((file) => readTestFile(root, file.split(path.sep).join('/')));
}

function jobName({ name, job }: Suite, file: string): string {
  if (job === 'suite') return name;
  if (job === 'folder') return `${name}/${path.basename(path.dirname(file))}`;
  return `${name}/${path.basename(file).replace(/\.test\.ts$/, '')}`;
}

function isPreparation(name: string): name is Preparation {
  return name in preparations;
}
