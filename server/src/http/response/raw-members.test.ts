import { describe, expect, it } from 'vitest';
import { scanObject } from './raw-members.ts';

describe('scanObject', () => {
  it.each([
    '{}',
    ' { } ',
    '{"a":1}',
    '{"a" : 1.0 , "b":[1,{"c":"}"}], "d" : "x,\\"y\\":\\\\" }',
    '{"a":{"a":1},"b":{"b":{"c":[]}}}',
    '{"\\u0061b\\n":"z","":null,"t":true}',
    '{"a":1,"a":2}',
    '{"back\\\\":"slash\\\\\\"","n":-1e5}',
    '{\n\t"a"\r\n:\n[\n]\n}',
  ])('finds the members JSON.parse finds in %j', (text) => {
    const found = Object.fromEntries(
      [...scanObject(text).members].map(([key, member]) => [key, JSON.parse(member)]),
    );
    expect(found).toEqual(JSON.parse(text));
  });

  it('keeps members as they were written', () => {
    expect(scanObject('{"x": 1.0 , "y": 12345678901234567890}').members).toEqual(
      new Map([
        ['x', '1.0'],
        ['y', '12345678901234567890'],
      ]),
    );
  });

  it('measures the depth', () => {
    expect(scanObject('{}').depth).toBe(1);
    expect(scanObject('{"a":[[{"b":1}]],"c":"[[[[["}').depth).toBe(4);
  });
});
