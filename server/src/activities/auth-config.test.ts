import { expect, it } from 'vitest';

import { authConfig, withoutAuth } from './auth-config.ts';

it('tells who calls where the manifest has an auth, and nothing elsewhere', () => {
  const user = { identity: 'ada', permissions: ['read'], team: 'x' };
  expect(authConfig({ ...user, sub: 'ada', mroles: [], mgroups: [] })).toEqual({
    langgraph_auth_user: user,
    langgraph_auth_user_id: 'ada',
    langgraph_auth_permissions: ['read'],
  });
  expect(authConfig({ sub: 'ada', mroles: [] })).toEqual({});
});

it('takes nobody for whom its config names', () => {
  const config = { ...authConfig({ identity: 'eve' }), model: 'm' };
  expect(withoutAuth(config)).toEqual({ model: 'm' });
});
