// The table of the specification's sentences names tests: they are there, and `npm test` has one of each row.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parseTestFile } from './test-run/test-file.ts';
import { isSelected } from './test-run/tiers.ts';

const root = path.resolve(import.meta.dirname, '..');

interface NamedTest {
  readonly file: string;
  /** Groups first. */
  readonly names: readonly string[];
}

/** The table's paths, as its introduction explains them. */
function fileOf(name: string): string {
  if (name.startsWith('scripts/')) return name;
  if (/^(src|guests)\//.test(name)) return `server/${name}`;
  return `server/test/${name}`;
}

const rows = readFileSync(path.join(root, 'docs/spec-coverage.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.endsWith('| `shown` |'))
  .map((line) => ({ line, tests: testsOf(line) }));

function testsOf(line: string): NamedTest[] {
  const pattern = /`([a-z]+\/[\w./-]+)`: (.*?)(?=; `[a-z]+\/[\w./-]+`: | \| `)/g;
  return [...line.matchAll(pattern)].map(([, file = '', names = '']) => ({
    file: fileOf(file),
    names: names.split(' › '),
  }));
}

/** Quotes and backticks are written otherwise in sources. */
const plain = (text: string): string => text.replaceAll(/[`\\]/g, '').replaceAll(/\s+/g, ' ');

const texts = new Map<string, string>();
function textOf(file: string): string {
  const known = texts.get(file);
  if (known !== undefined) return known;
  const place = path.join(root, file);
  const text = existsSync(place) ? readFileSync(place, 'utf8') : '';
  texts.set(file, text);
  return text;
}

it('names tests that exist', () => {
  const missing = rows
    .flatMap(({ tests }) => tests)
    .filter(({ file, names }) => !names.every((name) => plain(textOf(file)).includes(plain(name))))
    .map(({ file, names }) => `${file}: ${names.join(' › ')}`);
  expect(missing).toEqual([]);
});

it('names a test in every row, one of them in a file of npm test', () => {
  const isOfEveryPush = ({ file }: NamedTest): boolean =>
    isSelected('push', parseTestFile(file, textOf(file)).moduleTags);
  const others = rows.filter(({ tests }) => !tests.some(isOfEveryPush)).map(({ line }) => line);
  expect(others).toEqual([]);
  expect(rows.length).toBeGreaterThan(200);
});
