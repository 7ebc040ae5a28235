import { expect, it } from 'vitest';
import { scanJson } from './json-cursor.ts';

const scan = (text: string) => scanJson(new TextEncoder().encode(text));

it('counts what a line would make, and text once whatever is in it', () => {
  expect(scan('1')).toEqual({ values: 1, depth: 0 });
  expect(scan('{"a":"[,[,{","b":[1,2,[]]}')).toEqual({ values: 7, depth: 3 });
  expect(scan(String.raw`{"a":"\",[,\\","b":"\\\",","c":1}`)).toEqual({ values: 4, depth: 1 });
  expect(scan('[[],[],[]]')).toEqual({ values: 7, depth: 2 });
});

it('takes a line that is cut in the middle of a text', () => {
  expect(scan('["a","b,,,')).toEqual({ values: 3, depth: 1 });
});
