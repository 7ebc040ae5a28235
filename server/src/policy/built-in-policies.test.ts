import { expect, it } from 'vitest';
import { ServiceError } from '../errors/service-error.ts';
import { bothPolicies, createPermissiveDomain } from './built-in-policies.ts';
import type { PolicyPort, PolicyQuestion } from './port.ts';
import { requirePermission } from './require-permission.ts';

const question: PolicyQuestion = {
  principal: { sub: 'ada', mroles: [], claims: { sub: 'ada' } },
  operation: 'service:thread:read',
  resource: { mrn: 'mrn:service:thread:t' },
};

const DENIED = 'The policy denies service:thread:read on mrn:service:thread:t.';

/** Handlers that permit with a filter, or refuse in their own words. */
function handlers(isPermitted: boolean, asked: string[] = []): PolicyPort {
  return {
    isPermitted: () => true,
    permit() {
      asked.push('handlers');
      if (isPermitted) return Promise.resolve({ filter: { owner: 'ada' } });
      return Promise.reject(new ServiceError('auth_refused', 'Not you.', { status: 418 }));
    },
  };
}

function domains(isPermitted: boolean | Error, asked: string[] = []): PolicyPort {
  return {
    looksAtOwners: true,
    isPermitted() {
      asked.push('domains');
      if (isPermitted instanceof Error) throw isPermitted;
      return isPermitted;
    },
  };
}

it.each([
  [true, true, { filter: { owner: 'ada' } }, ['domains', 'handlers']],
  [true, false, 'Not you.', ['domains', 'handlers']],
  [false, true, DENIED, ['domains']],
  [false, false, DENIED, ['domains']],
  [new Error('no policy today'), true, DENIED, ['domains']],
])('domains %s and handlers %s: %j', async (domain, handler, expected, order) => {
  const asked: string[] = [];
  const both = bothPolicies(domains(domain, asked), handlers(handler, asked));
  const result = requirePermission(both, question);
  expect(await result.catch((error: unknown) => (error as Error).message)).toEqual(expected);
  expect(asked).toEqual(order);
});

it('asks the domains about each row of a list, and about owners', async () => {
  const both = bothPolicies(domains(false), handlers(true));
  expect([await both.isPermitted(question), both.looksAtOwners]).toEqual([false, true]);
  expect(both.permitsEverything).toBeUndefined();
});

it('is the one of them that decides, where the other has no rule', () => {
  const [some, own] = [domains(true), handlers(true)];
  expect(bothPolicies(some, undefined)).toBe(some);
  expect(bothPolicies(createPermissiveDomain(), own)).toBe(own);
});
