import { expect, it } from 'vitest';
import { createFixedPrincipal } from './create-authenticator.ts';

it('keeps the roles and groups of its file, regardless of the request', () => {
  const claims = { sub: 'ada', mroles: ['mrn:iam:role:admin'], mgroups: ['g'], team: 'a' };
  const headers = { 'x-test-principal': ['{"sub":"eve"}'], authorization: ['Bearer x'] };
  expect(createFixedPrincipal(claims).authenticate(headers)).toEqual({
    sub: 'ada',
    mroles: ['mrn:iam:role:admin'],
    claims,
  });
});

it('has no role unless the file gives one', () => {
  expect(createFixedPrincipal({ sub: 'ada' }).authenticate({})).toEqual({
    sub: 'ada',
    mroles: [],
    claims: { sub: 'ada' },
  });
});
