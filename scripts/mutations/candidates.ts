// Which test files a mutation names, what runs them, and in which order. Pure: the list of files is given.

/** The suites in the order of what a file of them costs. One that is not here comes after them. */
const byCost = [
  ...['unit', 'ui', 'go', 'go-images', 'guest-js', 'python', 'engine', 'service', 'spec'],
  ...['integration', 'kill', 'contract', 'e2e', 'package'],
];

/** Test files of one suite, which are run by one command. */
export interface Job {
  readonly suite: string;
  readonly files: readonly string[];
  /** The files are of the product: its tests are those that import them. */
  readonly isRelated?: boolean;
}

/** The suite of a test file; undefined for every other file. */
export function suiteOf(file: string): string | undefined {
  if (/^server\/guests\/python\/.*\/test_\w+\.py$/.test(file)) return 'python';
  if (/^server\/native\/.*_test\.go$/.test(file)) {
    return file.startsWith('server/native/images/') ? 'go-images' : 'go';
  }
  if (/^e2e\/.*\.spec\.ts$/.test(file)) return file.startsWith('e2e/package/') ? 'package' : 'e2e';
  if (!/\.test\.tsx?$/.test(file)) return undefined;
  if (file.startsWith('server/guests/js/')) return 'guest-js';
  if (file.startsWith('renderer/')) return file.endsWith('.node.test.ts') ? 'unit' : 'ui';
  return /^server\/test\/(\w+)\//.exec(file)?.[1] ?? 'unit';
}

/** The path of a test file without the suffix of a test: `server/src/http/runs`. */
function stemOf(file: string): string {
  return file
    .replace(/(\.(node|dom))?\.(test|spec)\.tsx?$/, '')
    .replace(/_test\.go$/, '')
    .replace(/test_(\w+)\.py$/, '$1');
}

/** The tests that a name means, wherever they are. */
function filesOf(name: string, files: readonly string[]): string[] {
  return files.filter((file) => suiteOf(file) && `/${stemOf(file)}`.endsWith(`/${name}`));
}

/** Names that mean no file: the test was renamed, or is one with another by now. */
export function missingOf(names: readonly string[], files: readonly string[]): string[] {
  return names.filter((name) => filesOf(name, files).length === 0);
}

/**
 * The commands that should notice, cheap suites first. Units are one command; where a file is dear, it has one of its
 * own.
 */
export function jobsOf(names: readonly string[], files: readonly string[]): Job[] {
  const found = new Map<string, string>();
  for (const name of names) {
    for (const file of filesOf(name, files)) found.set(file, suiteOf(file) ?? '');
  }
  const costOf = (suite: string): number => {
    const at = byCost.indexOf(suite);
    return at < 0 ? byCost.length : at;
  };
  const jobs: Job[] = [];
  for (const [file, suite] of found) {
    const known = ['unit', 'ui'].includes(suite)
      ? jobs.findIndex((job) => job.suite === suite)
      : -1;
    if (known < 0) jobs.push({ suite, files: [file] });
    else jobs[known] = { suite, files: [...(jobs[known]?.files ?? []), file] };
  }
  return jobs.toSorted((one, other) => costOf(one.suite) - costOf(other.suite));
}

/** All units that import a file, for what none of the named tests has noticed; undefined where there are no such. */
export function relatedJobOf(file: string): Job | undefined {
  if (file.startsWith('renderer/')) return { suite: 'ui', files: [file], isRelated: true };
  const hasUnits = /^(server|electron)\/src\//.test(file);
  return hasUnits ? { suite: 'unit', files: [file], isRelated: true } : undefined;
}
