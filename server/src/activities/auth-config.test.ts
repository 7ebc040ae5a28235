import { expect, it } from 'vitest';

import { authConfig, withoutAuth } from './auth-config.ts';

it("tells who calls: the user of the manifest's auth, whom a token names, or nobody", () => {
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
  const nobody = {
    langgraph_auth_user: null,
    langgraph_auth_user_id: '',
    langgraph_auth_permissions: [],
  };
  expect(authConfig({ sub: 'anonymous', mroles: [] })).toEqual(nobody);
  expect(authConfig()).toEqual(nobody);
});

it('takes nobody for whom its config names', () => {
  const config = { ...authConfig({ identity: 'eve' }), model: 'm' };
  expect(withoutAuth(config)).toEqual({ model: 'm' });
});
