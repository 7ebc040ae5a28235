import { expect, test } from 'vitest';
import { jsonProblem } from './json-problem.ts';

test.each([
  ['{"a": 1, "b": [true, null, -1.5e3, "x\\u0041"]}', undefined],
  ['', 'Expected a value, but the text ends here (1:1)'],
  ['{"a": 1,}', 'No comma is allowed before } (1:9)'],
  ['{\n  "a": 1\n  "b": 2\n}', 'Expected , or } after the value (3:3)'],
  ["{'a': 1}", 'Expected a key in double quotes (1:2)'],
  ['{"a": tru}', '"tru" is not a JSON value (1:7)'],
  ['{"a": 01}', '"01" is not a JSON value (1:7)'],
  ['[1, 2', 'Expected , or ] after the value, but the text ends here (1:6)'],
  ['{"a" 1}', 'Expected : after the key (1:6)'],
  ['{"a": "open\n}', 'The string is not closed (1:7)'],
  ['"\\x"', 'No such escape (1:2)'],
  ['{} {}', 'Nothing may follow the value (1:4)'],
  ['{"a": \'b\'}', 'Strings need double quotes (1:7)'],
  ['[1,]', 'No comma is allowed before ] (1:4)'],
])('%j', (text, expected) => {
  const problem = jsonProblem(text);
  expect(problem && `${problem.message} (${problem.line}:${problem.column})`).toBe(expected);
});
