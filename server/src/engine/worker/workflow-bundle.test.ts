// Takes a second or two where the bundle of these sources was not built yet, as a start does.
import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import { expect, it } from 'vitest';
import { inAscii, workflowBundle } from './workflow-bundle.ts';

it('has one byte for each character, which is what V8 then keeps', async () => {
  const code = readFileSync(await workflowBundle(() => undefined), 'latin1');
  expect(code.match(/[^\0-\x7f].{0,40}/)?.[0]).toBeUndefined();
  expect(code).toContain('//# sourceMappingURL=');
});

it.each(["'ab…c'", '`${1}µ—`', '"😀"', '/^[…μ]$/.test("μ")', '({ größe: 1 }).größe'])(
  'escapes without a change of meaning: %s',
  (code) => {
    expect(vm.runInNewContext(inAscii(code))).toEqual(vm.runInNewContext(code));
  },
);

it('does not escape what is escaped already', () => {
  expect(() => inAscii(String.raw`'\…'`)).toThrow('escapes a character itself');
});
