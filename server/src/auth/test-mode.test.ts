import pino from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { anonymousPrincipal } from '../model/principal.ts';
import type { Authenticator } from './authenticator.ts';
import { createTestAuthenticator } from './test-mode.ts';

let logged: Record<string, unknown>[];
let time: number;
let auth: Authenticator;
beforeEach(() => {
  logged = [];
  time = 0;
  const logger = pino({}, { write: (line) => void logged.push(JSON.parse(line)) });
  auth = createTestAuthenticator({ logger, now: () => time });
});

const as = (...values: string[]) => auth.authenticate({ 'x-test-principal': values });

it('is anonymous without the header, regardless of Authorization', () => {
  expect(auth.authenticate({ authorization: ['Bearer x'] })).toBe(anonymousPrincipal);
});

it('takes the claims of the header', () => {
  expect(as('{"sub":"ada","mclearance":"HIGH","a":{"b":1}}')).toEqual({
    sub: 'ada',
    mroles: [],
    claims: { sub: 'ada', mclearance: 'HIGH', a: { b: 1 }, mroles: [], mgroups: [] },
  });
  expect(logged).toEqual([]);
});

it('reads the header as UTF-8, as clients send it', () => {
  const bytes = Buffer.from('{"sub":"Zoë"}', 'utf8').toString('latin1');
  expect(as(bytes)).toMatchObject({ sub: 'Zoë' });
});

it('leaves roles and groups out, and warns once a minute', () => {
  const value = '{"sub":"eve","mroles":["mrn:iam:role:admin"],"mgroups":["mrn:iam:group:all"]}';
  for (let request = 0; request < 3; request++) {
    expect(as(value)).toMatchObject({
      sub: 'eve',
      mroles: [],
      claims: { mroles: [], mgroups: [] },
    });
  }
  time = 61_000;
  expect(as('{"sub":"eve","mgroups":[]}')).toMatchObject({ mroles: [] });
  expect(logged).toMatchObject([
    { level: 40, msg: 'roles of X-Test-Principal are left out', sub: 'eve', requests: 1 },
    { level: 40, msg: 'roles of X-Test-Principal are left out', requests: 3 },
  ]);
});

describe('refuses with 400', () => {
  it.each([
    '',
    'ada',
    '"ada"',
    'null',
    '[{"sub":"ada"}]',
    '{}',
    '{"sub":7}',
    '{"sub":""}',
    '{"sub":"ada"',
    `{"sub":"${'a'.repeat(9_000)}"}`,
  ])('%s', (value) => {
    expect(() => as(value)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('a header that is given twice, even if both together were an object', () => {
    expect(() => as('{"sub":"ada"', '"mroles":["admin"]}')).toThrow(/more than once/);
    expect(() => as('{"sub":"ada"}', '{"sub":"ada"}')).toThrow(/more than once/);
  });
});
