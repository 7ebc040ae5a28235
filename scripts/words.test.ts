// Reads every source of ours, which takes a part of a second.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

import { words, wordRows } from './words.ts';

const root = path.resolve(import.meta.dirname, '..');
const folders = ['server', 'electron/src', 'renderer/src', 'scripts', 'e2e'];
const own = /^scripts\/words/;

const listed = execFileSync('git', ['ls-files', '-z', ...folders], { cwd: root, encoding: 'utf8' });
const sources = listed.split('\0').filter((file) => /\.tsx?$/.test(file) && !own.test(file));

it('no source has a word of our own where the field has one', () => {
  expect(sources.length).toBeGreaterThan(1_000);
  const found = sources.flatMap((file) => {
    const lines = readFileSync(path.join(root, file), 'utf8').split('\n');
    return lines.flatMap((line, index) =>
      words
        .filter(({ not, within }) => (within?.test(file) ?? true) && not.test(line))
        .map(({ shown, instead }) => `${file}:${index + 1}: ${shown} is ${instead}`),
    );
  });
  expect(found).toEqual([]);
});

it('finds each word, and says what is written instead', () => {
  const examples = words.map(({ shown }) => shown.replaceAll('`', '').replaceAll('…', 'it'));
  const missed = examples.filter((text) => !words.some(({ not }) => not.test(`${text}(`)));
  expect(missed).toEqual([]);
});

it('are a table in CONTRIBUTING.md', () => {
  const page = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8').replaceAll(/ +/g, ' ');
  expect(wordRows().filter((row) => !page.includes(row))).toEqual([]);
});
