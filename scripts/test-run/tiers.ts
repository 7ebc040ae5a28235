// Which tests belong to which command. A test declares it by tags: none, `release` or `nightly`; and `seeds` if it is
// played at night, too, with other seeds than by day.

/** `npm test`, `npm run test:all`, what the second has beyond the first, `npm run test:nightly`. */
export const selections = ['push', 'all', 'rest', 'nightly', 'every'] as const;
/** `every` is all there is: what the nightly run does with suites whose tests it repeats. */
export type Selection = (typeof selections)[number];

/** Whether a test with these tags is one of the selection. */
export function isSelected(selection: Selection, tags: readonly string[]): boolean {
  const isNightly = tags.includes('nightly');
  const isRelease = tags.includes('release');
  switch (selection) {
    case 'push':
      return !isNightly && !isRelease;
    case 'all':
      return !isNightly;
    case 'rest':
      return isRelease && !isNightly;
    case 'nightly':
      return isNightly || tags.includes('seeds');
    case 'every':
      return true;
  }
}

/** The same as an expression for Vitest's `--tags-filter`. */
export const vitestFilters: Readonly<Record<Selection, string>> = {
  push: '!release && !nightly',
  all: '!nightly',
  rest: 'release && !nightly',
  nightly: 'nightly || seeds',
  every: 'nightly || !nightly',
};

/** The same for pytest's `-m`. */
export const pytestFilters: Readonly<Record<Selection, string>> = {
  push: 'not release and not nightly',
  all: 'not nightly',
  rest: 'release and not nightly',
  nightly: 'nightly',
  every: '',
};

/** The same for Playwright, whose tags begin with `@`. */
export const playwrightFilters: Readonly<Record<Selection, readonly string[]>> = {
  push: ['--grep-invert', '@release|@nightly'],
  all: ['--grep-invert', '@nightly'],
  rest: ['--grep', '@release', '--grep-invert', '@nightly'],
  nightly: ['--grep', '@nightly'],
  every: [],
};

/** Rounds of each kill test. */
export const killRounds: Readonly<Record<Selection, number>> = {
  push: 1,
  all: 2,
  rest: 2,
  nightly: 50,
  every: 50,
};
