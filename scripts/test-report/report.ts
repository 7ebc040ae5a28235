// The machine-readable report of any test runner, in one shape.

export interface Report {
  readonly passed: number;
  readonly skipped: number;
  readonly failures: readonly Failure[];
  /** How long each file, or package, took. */
  readonly files: readonly SlowFile[];
  /** Tests that did not run, where the runner reports why. */
  readonly skips?: readonly Skip[];
  /** Tests that began and did not end, where the runner reports that. */
  readonly unfinished?: readonly string[];
}

/** One test that failed, or something around the tests: a hook, a file that cannot be loaded. */
export interface Failure {
  /** What its runner calls the file: a path, or the name of a module or package. */
  readonly file?: string;
  /** The test's full name, groups first: `group › test`. */
  readonly name?: string;
  /** The reason, of any length and perhaps with colours. */
  readonly message: string;
}

export interface Skip {
  /** The file and the test's full name. */
  readonly name: string;
  readonly reason: string;
}

export interface SlowFile {
  readonly file: string;
  readonly seconds: number;
}

/** Joins the names of groups and of a test in them. */
export function fullName(...names: readonly string[]): string {
  return names.join(' › ');
}

/** Adds up the times of what belongs to the same file. */
export function filesOf(parts: readonly SlowFile[]): SlowFile[] {
  const files = new Map<string, number>();
  for (const { file, seconds } of parts) files.set(file, (files.get(file) ?? 0) + seconds);
  return [...files].map(([file, seconds]) => ({ file, seconds }));
}
