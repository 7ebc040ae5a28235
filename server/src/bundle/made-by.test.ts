import { hostname, userInfo } from 'node:os';
import { expect, it } from 'vitest';
import { MADE_BY_LENGTH } from './bundle-record.ts';
import { madeByPrincipal, madeByUser } from './made-by.ts';

it('names a principal and its issuer, and no other claim', () => {
  const claims = { sub: 'ada', iss: 'https://id.example', email: 'ada@example.org' };
  expect(madeByPrincipal({ sub: 'ada', mroles: ['r'], claims })).toEqual({
    sub: 'ada',
    issuer: 'https://id.example',
  });
  expect(madeByPrincipal({ sub: 'ada', mroles: [], claims: { iss: 1 } })).toEqual({ sub: 'ada' });
});

it('cuts names that are longer than a header takes', () => {
  const sub = 'x'.repeat(MADE_BY_LENGTH + 1);
  expect(madeByPrincipal({ sub, mroles: [], claims: {} }).sub).toHaveLength(MADE_BY_LENGTH);
});

it('names the user of the operating system and the machine', () => {
  expect(madeByUser()).toEqual({ user: userInfo().username, host: hostname() });
});
