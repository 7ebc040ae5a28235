// What the machine-readable report of any test runner says, in one shape.

export interface Report {
  readonly passed: number;
  readonly skipped: number;
  readonly failures: readonly Failure[];
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

/** Joins the names of groups and of a test in them. */
export function fullName(...names: readonly string[]): string {
  return names.join(' › ');
}
