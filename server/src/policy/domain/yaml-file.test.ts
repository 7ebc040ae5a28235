/** @module-tag seeds */
import { fc, tries } from '../../../test/fixtures/fast-check.ts';
import { expect, it } from 'vitest';

import { POLICY_YAML_DEPTH, POLICY_YAML_VALUES } from '../../model/limits/policy-limits.ts';
import { findingLine } from '../findings.ts';
import { readYaml, type YamlFile } from './yaml-file.ts';

function read(text: string): YamlFile {
  const reading = readYaml('f.yaml', text);
  if ('yaml' in reading) return reading.yaml;
  throw new Error(reading.findings.map(findingLine).join('\n'));
}

function findingsOf(text: string): string[] {
  return readYaml('f.yaml', text).findings.map(findingLine);
}

it('writes aliases and `<<` out: own members first, then the first mapping that is named', () => {
  const text = 'a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {<<: [*a, *b], x: 3}\nd: [*a, *a]\n';
  expect(read(text).value).toEqual({
    a: { x: 1, y: 1 },
    b: { y: 2, z: 2 },
    c: { x: 3, y: 1, z: 2 },
    d: [
      { x: 1, y: 1 },
      { x: 1, y: 1 },
    ],
  });
});

it('takes an alias for the last anchor of its name before it', () => {
  expect(read('[&a 1, *a, &a 2, *a]').value).toEqual([1, 1, 2, 2]);
});

it('knows where values, names and texts are', () => {
  const yaml = read('a:\n  - b: &t |\n      one\n      two\n    c: x\n    d: *t\n');
  const at = (line: number, column: number) => ({ file: 'f.yaml', line, column });
  expect(yaml.locationOf(['a', 0, 'c'])).toEqual(at(5, 8));
  expect(yaml.keyLocation(['a', 0, 'c'])).toEqual(at(5, 5));
  expect(yaml.textLocation(['a', 0, 'b'])).toEqual(at(3, 7));
  expect(yaml.textLocation(['a', 0, 'c'])).toEqual(at(5, 8));
  // An alias is where it is written, its text where the anchor is.
  expect(yaml.locationOf(['a', 0, 'd'])).toEqual(at(6, 8));
  expect(yaml.textLocation(['a', 0, 'd'])).toEqual(at(3, 7));
  // A missing value is where it would be.
  expect(yaml.locationOf(['a', 0, 'nothing', 'below'])).toEqual(at(2, 5));
});

it.each([
  ['a: 1\na: 2\n', 'f.yaml:2:1: A member of this name exists already: keep one of them.'],
  [
    'a: 1\n---\nb: 2\n',
    'f.yaml:2:1: A file holds one document: put what follows into its own file.',
  ],
  ['a: *b\n', 'f.yaml:1:4: There is no anchor &b before this.'],
  ['a: !!binary aGk=\n', 'f.yaml:1:4: !!binary means nothing here: remove it.'],
  ['%YAML 1.1\n---\na: 1\n', 'f.yaml:1:1: %YAML 1.1 means nothing here: remove it.'],
  ['a: .inf\n', 'f.yaml:1:4: JSON has no such value: write a text or a finite number.'],
  ['? [1]\n: 2\n', 'f.yaml:1:3: A list or mapping cannot be a name: use text.'],
  ['<<: 1\n', 'f.yaml:1:1: `<<` takes a mapping or a list of mappings: name an anchor.'],
])('finds what is wrong in %j', (text, finding) => {
  expect(findingsOf(text)).toEqual([finding]);
});

it('reports all errors of syntax at once', () => {
  const lines = findingsOf('a: 1\na: 2\nb: 1\nb: 2\n').map((line) => line.split(' ', 1)[0]);
  expect(lines).toEqual(['f.yaml:2:1:', 'f.yaml:4:1:']);
});

it('holds files to a depth, however they get there', () => {
  const deep = `Values within values go ${POLICY_YAML_DEPTH} levels deep at most: make it flatter.`;
  const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  expect(findingsOf(lists(POLICY_YAML_DEPTH))).toEqual([]);
  expect(findingsOf(lists(POLICY_YAML_DEPTH + 2))).toEqual([expect.stringContaining(deep)]);
  // These would take the process along, or hold it up for long.
  for (const text of ['['.repeat(200_000), '- '.repeat(200_000), '{a: '.repeat(100_000)]) {
    expect(findingsOf(text)).toEqual([expect.stringContaining(deep)]);
  }
  const indented = Array.from({ length: 200 }, (_, level) => `${' '.repeat(level)}a:\n`).join('');
  expect(findingsOf(indented)).toEqual([expect.stringContaining(deep)]);
  // An anchor around its own alias.
  expect(findingsOf('a: &a [*a]\n')).toEqual([expect.stringContaining(deep)]);
});

it('counts a long line of brackets side by side as flat', () => {
  const pairs = Array.from({ length: 500 }, (_, index) => `a${index}: {b: []}`);
  expect(findingsOf(`{${pairs.join(', ')}}`)).toEqual([]);
});

it('writes no more values out than the limit', () => {
  const level = (name: string, of: string) =>
    `${name}: &${name} [${Array(10).fill(`*${of}`).join(', ')}]\n`;
  const text = `a: &a 1\n${level('b', 'a')}${level('c', 'b')}${level('d', 'c')}${level('e', 'd')}${level('f', 'e')}${level('g', 'f')}`;
  expect(findingsOf(text)).toEqual([
    expect.stringContaining(`more than ${POLICY_YAML_VALUES} values: use fewer.`),
  ]);
});

it('makes nothing but JSON or findings of any text', () => {
  const bits = fc.constantFrom(...'[]{}:-?&*!|>#%@"\'\\\n\t ,<~a1'.split(''), '<<: ', '*a', '&a ');
  const texts = fc.oneof(
    fc.string(),
    fc.array(bits, { maxLength: 60 }).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const reading = readYaml('f.yaml', text);
      if (!('yaml' in reading)) return reading.findings.length > 0;
      expect(JSON.parse(JSON.stringify(reading.yaml.value))).toEqual(reading.yaml.value);
      return reading.findings.length === 0;
    }),
    { numRuns: tries(1_000) },
  );
});
