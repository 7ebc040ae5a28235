import { readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseVitest } from './vitest.ts';

/** What the reporter wrote about a folder of failing tests, with other paths. */
const text = readFileSync(path.join(import.meta.dirname, 'fixtures/vitest.jsonl'), 'utf8');

describe("Vitest's report", () => {
  const { failures, files, ...counts } = parseVitest(text);

  it('counts tests; a broken file, a hook and an uncaught error are one failure each', () => {
    expect({ ...counts, failed: failures.length }).toEqual({
      passed: 2,
      skipped: 3,
      failed: 5,
      skips: [
        { name: 'src/sums.test.ts › sums › is not ready', reason: 'no reason given' },
        { name: 'src/sums.test.ts › sums › needs a disk', reason: 'no second disk' },
        { name: 'src/sums.test.ts › a server › answers', reason: 'no reason given' },
      ],
      unfinished: [],
    });
  });

  it('knows a test that is over also when its end is reported before its beginning', () => {
    const begun = JSON.stringify({ type: 'begun', file: 'a.test.ts', name: 'short' });
    const end = JSON.stringify({ type: 'test', file: 'a.test.ts', name: 'short', state: 'passed' });
    expect(parseVitest([end, begun].join('\n'))).toMatchObject({ passed: 1, unfinished: [] });
    expect(parseVitest([end, begun, begun].join('\n')).unfinished).toEqual(['a.test.ts › short']);
  });

  it('does not count tests of another command', () => {
    expect(text).not.toContain('belongs to a release');
  });

  it('reports a test by file and full name, with the difference and the position', () => {
    const [failure] = failures;
    expect({ ...failure, message: stripVTControlCharacters(failure?.message ?? '') }).toEqual({
      file: 'src/sums.test.ts',
      name: 'sums › compares <whole> values',
      message: [
        "AssertionError: expected { total: 3, parts: [ 'a', 'b' ] } to deeply equal { total: 4, parts: [ 'a', 'b' ] }",
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
        '    at src/sums.test.ts:6:45',
      ].join('\n'),
    });
  });

  it('has all errors of a test', () => {
    expect(failures[1]?.message).toMatch(/expected 1 to be 2[^]*expected 3 to be 4/);
  });

  it('reports a hook with its group and its cause', () => {
    expect(failures[2]).toEqual({
      file: 'src/sums.test.ts',
      message: expect.stringMatching(
        /^a server: Error: the port is taken\n[^]*Caused by: Error: by another/,
      ),
    });
  });

  it('reports a file that cannot be loaded', () => {
    expect(failures[3]).toEqual({
      file: 'src/broken.test.ts',
      message: expect.stringMatching(/^Error: Cannot find module '.\/missing.ts' imported from /),
    });
  });

  it('reports an unhandled error', () => {
    expect(failures[4]?.message).toMatch(
      /^not caught: Error: nobody waits for me\n {4}at src\/sums.test.ts:\d+:\d+$/,
    );
  });

  it('has the time of each file', () => {
    expect(files.map(({ file }) => file)).toEqual(['src/sums.test.ts', 'src/broken.test.ts']);
    expect(files.every(({ seconds }) => seconds > 0)).toBe(true);
  });

  it('reports what had passed and where it was when a run is cut off', () => {
    const lines = text.split('\n').slice(0, 3);
    const cutOff = parseVitest([...lines, '{"type":"test","fi'].join('\n'));
    expect(cutOff).toEqual({
      passed: 1,
      skipped: 0,
      failures: [],
      files: [],
      skips: [],
      unfinished: ['src/sums.test.ts › sums › compares <whole> values'],
    });
  });
});
