import { pino } from 'pino';
import { expect, it, vi } from 'vitest';

import type { ManifestAuth } from './manifest-http.ts';
import { requireSameAuth, usedAuth } from './used-auth.ts';

const file = '/agents/langgraph.json';
const auth: ManifestAuth = {
  path: './auth.py:auth',
  language: 'python',
  isStudioAuthDisabled: false,
};
const oidc = { kind: 'oidc', issuer: 'https://issuer', audience: 'api' } as const;

function used(given: ManifestAuth | undefined, about: Partial<Parameters<typeof usedAuth>[1]>) {
  const warn = vi.fn<(fields: { warning: string }) => void>();
  const logger = Object.assign(pino({ level: 'silent' }), { warn });
  const plain = { auth: undefined, isOwnClient: undefined, logger };
  const found = usedAuth({ file, ...(given && { auth: given }) }, { ...plain, ...about });
  return { found, warnings: warn.mock.calls.map(([{ warning }]) => warning) };
}

it('decides about requests, also in test mode', () => {
  expect(used(auth, {}).found).toBe(auth);
  expect(used(auth, { auth: { kind: 'test' } }).found).toBe(auth);
});

it('warns that OIDC is used instead', () => {
  expect(used(auth, { auth: oidc })).toEqual({
    found: undefined,
    warnings: [expect.stringContaining('OIDC is configured')],
  });
});

it.each([
  ['in a folder without auth', undefined, {}],
  ['by a service that only its starter calls', auth, { isOwnClient: true }],
])('is not asked %s', (_, given, about) => {
  expect(used(given, about)).toEqual({ found: undefined, warnings: [] });
});

it.each([
  ['added', { file, auth }, {}],
  ['taken away', { file }, { auth }],
  ['another one', { file, auth: { ...auth, path: './other.py:auth' } }, { auth }],
])('is refused at a reload when it is %s', (_, current, atStart) => {
  expect(() => requireSameAuth(current, atStart)).toThrow(
    `${file}: auth: it has changed, and is read at the start only; start the service again.`,
  );
});

it('may be reloaded as it was', () => {
  expect(() => requireSameAuth({ file, auth: { ...auth } }, { auth })).not.toThrow();
  expect(() => requireSameAuth({ file }, {})).not.toThrow();
});
