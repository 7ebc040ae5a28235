import { readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parsePlaywright } from './playwright.ts';

/** What the runner wrote about a folder of failing tests, with other paths and without what is not read. */
const read = (name: string) =>
  parsePlaywright(readFileSync(path.join(import.meta.dirname, 'fixtures', name), 'utf8'));

describe("Playwright's report", () => {
  const { passed, skipped, failures } = read('playwright.json');

  it('counts tests, one that passed when it was repeated as passed', () => {
    expect({ passed, skipped, failed: failures.length }).toEqual({
      passed: 2,
      skipped: 1,
      failed: 3,
    });
  });

  it('reports a test by file and full name, with the lines around the failure', () => {
    const failure = failures[2];
    expect(failure).toEqual({
      file: 'studio/sums.spec.ts',
      name: 'sums › of parts › compare whole values',
      message: expect.any(String),
    });
    expect(stripVTControlCharacters(failure?.message ?? '')).toMatch(
      /^Error: expect\(received\).toEqual[^]*\n- {3}"total": 4,\n[^]*\n> {2}7 \|[^]*:7:28$/,
    );
  });

  it('has all errors of a test', () => {
    expect(stripVTControlCharacters(failures[0]?.message ?? '')).toMatch(
      /Expected: 2\n[^]*Expected: 4\n/,
    );
  });

  it('reports a test that passed though it is expected to fail', () => {
    expect(failures[1]).toEqual({
      file: 'studio/sums.spec.ts',
      name: 'sums › are right though they should not be',
      message: 'passed, but was expected to fail',
    });
  });

  it('reports a file that cannot be loaded', () => {
    expect(read('playwright-broken.json')).toEqual({
      passed: 0,
      skipped: 0,
      files: [],
      failures: [
        {
          message: expect.stringMatching(
            /^Error: Cannot find module '.*missing.ts' imported from /,
          ),
        },
      ],
    });
  });
});
