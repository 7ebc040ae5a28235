import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseGoTest } from './go-test.ts';

describe('the report of go test', () => {
  const file = path.join(import.meta.dirname, 'fixtures/go-test.jsonl');
  const { passed, skipped, failures } = parseGoTest(readFileSync(file, 'utf8'));
  const failureIn = (name: string) => failures.filter((failure) => failure.file?.endsWith(name));

  it('counts tests without their parents, and a package that failed by itself once', () => {
    expect({ passed, skipped, failed: failures.length }).toEqual({
      passed: 3,
      skipped: 1,
      failed: 5,
    });
  });

  it('reports a sub-test and of a parent that failed by itself, with what they printed', () => {
    expect(failureIn('/table')).toEqual([
      {
        file: 'example.org/sums/table',
        name: 'TestTable › two',
        message: '    table_test.go:11: sum = 3, want 4\n',
      },
      {
        file: 'example.org/sums/table',
        name: 'TestParent',
        message: '    table_test.go:17: the parent itself\n',
      },
    ]);
  });

  it('reports a panic', () => {
    expect(failureIn('/crash')).toEqual([
      {
        file: 'example.org/sums/crash',
        name: 'TestNil',
        message: expect.stringMatching(/^panic: assignment to entry in nil map/),
      },
    ]);
  });

  it('reports why a package does not compile', () => {
    expect(failureIn('/broken')).toEqual([
      {
        file: 'example.org/sums/broken',
        message: expect.stringMatching(/\nbroken\/broken_test.go:5:34: undefined: missing\n$/),
      },
    ]);
  });

  it('reports the output of a package that ended before its tests', () => {
    expect(failureIn('/setup')).toEqual([
      { file: 'example.org/sums/setup', message: 'the database is missing\n' },
    ]);
  });
});
