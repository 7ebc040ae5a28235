import { expect, it } from 'vitest';
import { countJsonValues } from './json-values.ts';

const count = (text: string): number => countJsonValues(new TextEncoder().encode(text));

it('counts what a line would make, and text once whatever is in it', () => {
  expect(count('1')).toBe(1);
  expect(count('{"a":"[,[,{","b":[1,2,[]]}')).toBe(7);
  expect(count(String.raw`{"a":"\",[,\\","b":"\\\",","c":1}`)).toBe(4);
  expect(count('[[],[],[]]')).toBe(7);
});

it('takes a line that is cut in the middle of a text', () => {
  expect(count('["a","b,,,')).toBe(3);
});
