import { Auth, HTTPException } from '@langchain/langgraph-sdk/auth';
import { describe, expect, it } from 'vitest';
import { authHandlers } from './auth-handlers.ts';
import type { RequestHead } from './request-head.ts';

const request: RequestHead = {
  method: 'POST',
  rawPath: Buffer.from('/threads/x%2F..%2F..%2Fok'),
  query: 'a=b',
  headers: [{ name: 'authorization', value: Buffer.from('Bearer t') }],
};
const allow = () => new Auth().authenticate(async () => 'ada');

async function authorize(auth: unknown, resource: string, action: string, value: object = {}) {
  const userJson = JSON.stringify({ identity: 'ada', permissions: ['p'] });
  const result = await authHandlers(auth).authorize({
    ...{ userJson, resource, action },
    valueJson: JSON.stringify(value),
  });
  return { ...result, value: JSON.parse(result.valueJson ?? 'null') as unknown };
}

describe('authenticate', () => {
  it('gets the request, and makes a user of a text or an object', async () => {
    const auth = new Auth().authenticate(async (given) => {
      const { pathname, search } = new URL(given.url);
      // Decoded it would be /ok, and the route is that of a thread.
      expect([given.method, pathname, search]).toEqual([
        'POST',
        '/threads/x%2F..%2F..%2Fok',
        '?a=b',
      ]);
      return { identity: given.headers.get('authorization') ?? '', permissions: ['p'], team: 'x' };
    });
    const { userJson = '' } = await authHandlers(auth).authenticate(request);
    expect(JSON.parse(userJson)).toEqual({
      identity: 'Bearer t',
      display_name: 'Bearer t',
      is_authenticated: true,
      permissions: ['p'],
      team: 'x',
    });
  });

  it.each([undefined, null, '', {}, { identity: '' }, { identity: 1 }, 5])(
    'refuses a user that is %j',
    async (user) => {
      const auth = new Auth().authenticate(async () => user as never); // what a handler should not
      const result = await authHandlers(auth).authenticate(request);
      expect(result).toEqual({ error: expect.objectContaining({ code: 'agent_error' }) });
    },
  );

  it('refuses with the status of an HTTPException, and fails with any other error', async () => {
    const raising = (error: Error) =>
      authHandlers(new Auth().authenticate(() => Promise.reject(error))).authenticate(request);
    expect(await raising(new HTTPException(401, { message: 'Who?' }))).toEqual({
      refusal: { status: 401, detail: 'Who?' },
    });
    for (const error of [new Error('boom'), new HTTPException(200)]) {
      expect(await raising(error)).toEqual({ error: expect.anything() });
    }
  });

  it('is not loaded from what cannot be asked', () => {
    expect(() => authHandlers({})).toThrow('auth is no Auth');
    expect(() => authHandlers(new Auth())).toThrow('it would refuse every request');
  });
});

describe('authorize', () => {
  it('asks the most specific handler, and permits what none is for', async () => {
    const auth = allow()
      .on('*', () => false)
      .on('threads', () => true)
      .on('threads:create', ({ value, user }) => {
        value.metadata = { ...value.metadata, owner: user.identity };
        return { owner: user.identity };
      });
    expect(await authorize(auth, 'threads', 'create', { metadata: { a: 1 } })).toMatchObject({
      permitted: true,
      value: { metadata: { a: 1, owner: 'ada' } },
      filterJson: '{"owner":"ada"}',
    });
    expect(await authorize(auth, 'threads', 'read')).toMatchObject({ permitted: true });
    expect(await authorize(auth, 'store', 'get')).toMatchObject({ refusal: { status: 403 } });
    expect(await authorize(allow(), 'store', 'get')).toMatchObject({ permitted: true });
  });

  it.each(['yes', 1, []])('permits nothing for %j', async (result) => {
    const auth = allow().on('*', () => result as never); // what a handler should not
    const { permitted, error } = await authorize(auth, 'threads', 'read');
    expect([permitted, error?.code]).toEqual([undefined, 'agent_error']);
  });

  it('permits nothing when a handler throws', async () => {
    const auth = allow().on('*', () => {
      throw new HTTPException(404);
    });
    expect(await authorize(auth, 'threads', 'read')).toMatchObject({ refusal: { status: 404 } });
  });
});
