import pino from 'pino';
import { expect, it, vi } from 'vitest';

import { ServiceError } from '../errors/service-error.ts';
import {
  createManifestAuthenticator,
  type AuthenticationResult,
  type UserPort,
} from './manifest-auth.ts';
import { createTestAuthenticator } from './test-mode.ts';

const line = { method: 'GET', path: '/threads', rawPath: '/threads', query: '' };
const test = createTestAuthenticator({ logger: pino({ level: 'silent' }) });
const studio = ['{"sub":"dev","mroles":["admin"]}'];

function asking(result: AuthenticationResult) {
  const users = { authenticate: vi.fn<UserPort['authenticate']>(async () => result) };
  return { users, as: createManifestAuthenticator(users) };
}

it('makes a principal of the user that the handler returned', async () => {
  const user = { identity: 'ada', permissions: ['read'], team: 'x', sub: 'root' };
  const { as, users } = asking({ kind: 'user', user });
  const headers = { authorization: ['Bearer t'], 'x-service-token': ['secret'] };
  expect(await as.authenticate(headers, line)).toEqual({
    sub: 'ada',
    mroles: [],
    claims: { ...user, sub: 'ada' },
  });
  expect(users.authenticate).toHaveBeenCalledWith({
    ...line,
    headers: { authorization: ['Bearer t'] },
  });
});

it('refuses several Authorization headers without asking which one counts', async () => {
  const { as, users } = asking({ kind: 'user', user: { identity: 'ada' } });
  const headers = { authorization: ['Bearer eve', 'Bearer ada'] };
  await expect(as.authenticate(headers, line)).rejects.toMatchObject({ code: 'invalid_request' });
  expect(users.authenticate).not.toHaveBeenCalled();
});

it.each([
  [401, 'unauthenticated', 401],
  [403, 'permission_denied', 403],
  [429, 'auth_refused', 429],
  [200, 'auth_refused', 500],
  [700, 'auth_refused', 500],
])('refuses with the status %i as %s', async (status, code, responseStatus) => {
  const { as } = asking({ kind: 'refused', status, detail: 'because' });
  await expect(as.authenticate({}, line)).rejects.toMatchObject({
    code,
    status: responseStatus,
    message: 'because',
  });
});

it.each<[string, AuthenticationResult]>([
  ['a failure', { kind: 'failed', message: 'KeyError' }],
  ['a user without an identity', { kind: 'user', user: { sub: 'ada' } }],
  ['a user with an empty identity', { kind: 'user', user: { identity: '' } }],
])('admits no caller for %s', async (_, result) => {
  const { as } = asking(result);
  await expect(as.authenticate({}, line)).rejects.toMatchObject({ code: 'auth_failed' });
});

it('admits no caller while the handler cannot be called', async () => {
  const late = new ServiceError('auth_unavailable', 'late');
  const users = { authenticate: () => Promise.reject(late) };
  const as = createManifestAuthenticator(users, { test, isDesktop: true });
  await expect(as.authenticate({ authorization: ['t'] }, line)).rejects.toBe(late);
});

it('calls the handler outside of test mode, regardless of X-Test-Principal', async () => {
  const { as, users } = asking({ kind: 'refused', status: 401, detail: '' });
  await expect(as.authenticate({ 'x-test-principal': studio }, line)).rejects.toMatchObject({
    code: 'unauthenticated',
  });
  expect(users.authenticate).toHaveBeenCalledWith({ ...line, headers: {} });
});

it('takes the principal of test mode for the user of the studio, without its roles', async () => {
  const { users } = asking({ kind: 'refused', status: 401, detail: '' });
  const as = createManifestAuthenticator(users, { test });
  expect(await as.authenticate({ 'x-test-principal': studio }, line)).toMatchObject({
    sub: 'dev',
    mroles: [],
    claims: { kind: 'StudioUser', identity: 'dev' },
  });
  await expect(as.authenticate({}, line)).rejects.toMatchObject({ code: 'unauthenticated' });
});

it('takes the window of the desktop for the studio, unless it sends credentials', async () => {
  const { users } = asking({ kind: 'user', user: { identity: 'ada' } });
  const as = createManifestAuthenticator(users, { test, isDesktop: true });
  expect((await as.authenticate({}, line)).sub).toBe('langgraph-studio-user');
  expect((await as.authenticate({ authorization: ['Bearer t'] }, line)).sub).toBe('ada');
});
