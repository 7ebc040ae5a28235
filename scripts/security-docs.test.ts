// docs/security.md names tests as evidence: they exist.
import { expect, it } from 'vitest';
import { missingTests, rowsOf, testsNamedIn } from './named-tests.ts';

const TO_COME = '`to come`';

/** The tables of promises are those with two columns. */
const rows = rowsOf('docs/security.md', (line) => !/^\| (---|promise +\|)/.test(line))
  .filter((cells) => cells.length === 2)
  .map(([promise = '', cell = '']) => ({ promise, cell: cell.trim(), tests: testsNamedIn(cell) }));

it('names tests that exist', () => {
  expect(missingTests(rows.flatMap(({ tests }) => tests))).toEqual([]);
});

it('names a test for every promise, unless it is to come', () => {
  const without = rows.filter(({ cell, tests }) => tests.length === 0 && cell !== TO_COME);
  expect(without).toEqual([]);
  expect(rows.length).toBeGreaterThan(40);
});
