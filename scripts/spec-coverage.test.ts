// The table of the specification's sentences names tests: they exist, and `npm test` has one of each row.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isOfEveryPush, missingTests, rowsOf, testsNamedIn } from './named-tests.ts';

const rows = rowsOf('docs/spec-coverage.md', (line) => line.endsWith('| `shown` |')).map(
  (cells) => ({ sentence: cells[0], tests: testsNamedIn(cells.at(-2) ?? '') }),
);

it('names tests that exist', () => {
  expect(missingTests(rows.flatMap(({ tests }) => tests))).toEqual([]);
});

it('names a test in every row, one of them of npm test', () => {
  const others = rows.filter(({ tests }) => !tests.some(isOfEveryPush));
  expect(others.map(({ sentence }) => sentence)).toEqual([]);
  expect(rows.length).toBeGreaterThan(200);
  const text = readFileSync(new URL('../docs/spec-coverage.md', import.meta.url), 'utf8');
  expect(text).toContain(`Rows: ${rows.length} \`shown\`, 0 \`open\`, 0 \`missing\`.`);
});
