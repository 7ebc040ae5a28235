import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseJunit } from './junit.ts';

/** What the runner wrote about a folder of failing tests, with other paths. */
const read = (name: string) =>
  parseJunit(readFileSync(path.join(import.meta.dirname, 'fixtures', name), 'utf8'));

describe("vitest's report", () => {
  const { passed, skipped, failures } = read('vitest.xml');

  it('counts tests; a broken file, a hook and an unhandled error are one failure each', () => {
    expect({ passed, skipped, failed: failures.length }).toEqual({
      passed: 2,
      skipped: 3,
      failed: 5,
    });
  });

  it('tells of a test by file and full name, with the difference and the place', () => {
    expect(failures[1]).toEqual({
      file: 'src/sums.test.ts',
      name: 'sums › compares <whole> values',
      message: [
        "AssertionError: expected { total: 3, parts: [ 'a', 'b' ] } to deeply equal { total: 4, parts: [ 'a', 'b' ] }",
        '',
        '- Expected',
        '+ Received',
        '',
        '  {',
        '    "parts": [',
        '      "a",',
        '      "b",',
        '    ],',
        '-   "total": 4,',
        '+   "total": 3,',
        '  }',
        '',
        ' ❯ src/sums.test.ts:6:45',
      ].join('\n'),
    });
  });

  it('has all errors of a test', () => {
    expect(failures[2]?.message).toMatch(/expected 1 to be 2[^]*expected 3 to be 4/);
  });

  it('tells of a file that cannot be loaded', () => {
    expect(failures[0]).toEqual({
      file: 'src/broken.test.ts',
      message: expect.stringMatching(/^Error: Cannot find module '.\/missing.ts' imported from /),
    });
  });

  it('tells of a hook with its cause', () => {
    expect(failures[3]).toEqual({
      file: 'src/sums.test.ts',
      name: 'a server',
      message: expect.stringMatching(/^Error: the port is taken\n[^]*Caused by: Error: by another/),
    });
  });

  it('tells of an error that no test waited for', () => {
    expect(failures[4]).toEqual({
      file: 'vitest unhandled errors',
      name: 'Unhandled Rejection: nobody waits for me',
      message: expect.stringMatching(/^Error: nobody waits for me\n ❯ src\/sums.test.ts:24:23/),
    });
  });
});

describe("pytest's report", () => {
  const { passed, skipped, failures } = read('pytest.xml');

  it('counts tests, errors as failures', () => {
    expect({ passed, skipped, failed: failures.length }).toEqual({
      passed: 1,
      skipped: 2,
      failed: 4,
    });
  });

  it('tells of a test by module, class and name, with the message first', () => {
    expect(failures[1]).toEqual({
      file: 'tests.test_sums.TestParts',
      name: 'test_compares_whole_values[4]',
      message: expect.stringMatching(/^AssertionError: assert {'total': 4} == {'total': 3}\n/),
    });
  });

  it('has the source and the place, without what repeats the message', () => {
    expect(failures[2]?.message.split('\n')).toEqual([
      'ValueError: \u001b[31mno <such> number\u001b[0m & none',
      'def test_colours():',
      String.raw`>       raise ValueError("\x1b[31mno <such> number\x1b[0m & none")`,
      '',
      'tests/test_sums.py:15: ValueError',
    ]);
  });

  it('tells of a fixture that failed', () => {
    expect(failures[3]).toEqual({
      file: 'tests.test_sums',
      name: 'test_answers',
      message: expect.stringMatching(/^failed on setup with "RuntimeError: the port is taken"\n/),
    });
  });

  it('tells of a module that cannot be imported', () => {
    expect(failures[0]).toEqual({
      file: 'tests.test_broken',
      message: expect.stringMatching(/E {3}ModuleNotFoundError: No module named 'missing'$/),
    });
  });
});
