import { expect, it } from 'vitest';

import { authConfig, withoutAuth } from './auth-config.ts';

it("identifies the caller: the user of the manifest's auth, the one whom a token names, or none", () => {
  const user = { identity: 'ada', display_name: 'Ada', is_authenticated: true };
  const permissions = ['read'];
  expect(authConfig({ ...user, permissions, team: 'x', sub: 'ada', mroles: [] })).toEqual({
    langgraph_auth_user: { ...user, permissions, team: 'x' },
    langgraph_auth_user_id: 'ada',
    langgraph_auth_permissions: permissions,
  });
  expect(authConfig({ sub: 'eve', mroles: ['r'], email: 'e@x' })).toEqual({
    langgraph_auth_user: {
      ...{ identity: 'eve', display_name: 'eve', is_authenticated: true, permissions: [] },
      email: 'e@x',
    },
    langgraph_auth_user_id: 'eve',
    langgraph_auth_permissions: [],
  });
  const anonymous = {
    langgraph_auth_user: null,
    langgraph_auth_user_id: '',
    langgraph_auth_permissions: [],
  };
  expect(authConfig({ sub: 'anonymous', mroles: [] })).toEqual(anonymous);
  expect(authConfig()).toEqual(anonymous);
});

it('ignores a caller that the config names', () => {
  const config = { ...authConfig({ identity: 'eve' }), model: 'm' };
  expect(withoutAuth(config)).toEqual({ model: 'm' });
});
