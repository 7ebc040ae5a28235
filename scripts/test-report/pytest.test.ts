import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsePytest } from './pytest.ts';

/** What the runner wrote about a folder of failing tests, with other paths. */
const read = (name: string) =>
  parsePytest(readFileSync(path.join(import.meta.dirname, 'fixtures', name), 'utf8'));

describe("pytest's report", () => {
  const { passed, skipped, failures, files } = read('pytest.xml');

  it('counts tests, errors as failures', () => {
    expect({ passed, skipped, failed: failures.length }).toEqual({
      passed: 1,
      skipped: 2,
      failed: 4,
    });
  });

  it('has the time of each module', () => {
    expect(files).toEqual([
      { file: '', seconds: 0 },
      { file: 'tests.test_sums', seconds: expect.closeTo(0.004, 2) },
    ]);
  });

  it('reports a test by module, class and name, with the message first', () => {
    expect(failures[1]).toEqual({
      file: 'tests.test_sums.TestParts',
      name: 'test_compares_whole_values[4]',
      message: expect.stringMatching(/^AssertionError: assert {'total': 4} == {'total': 3}\n/),
    });
  });

  it('has the source and its location, without what repeats the message', () => {
    expect(failures[2]?.message.split('\n')).toEqual([
      'ValueError: \u001b[31mno <such> number\u001b[0m & none',
      'def test_colours():',
      String.raw`>       raise ValueError("\x1b[31mno <such> number\x1b[0m & none")`,
      '',
      'tests/test_sums.py:15: ValueError',
    ]);
  });

  it('reports a fixture that failed', () => {
    expect(failures[3]).toEqual({
      file: 'tests.test_sums',
      name: 'test_answers',
      message: expect.stringMatching(/^failed on setup with "RuntimeError: the port is taken"\n/),
    });
  });

  it('reports a module that cannot be imported', () => {
    expect(failures[0]).toEqual({
      file: 'tests.test_broken',
      message: expect.stringMatching(/E {3}ModuleNotFoundError: No module named 'missing'$/),
    });
  });
});
