import { expect, it } from 'vitest';

import { unusedKeys } from './manifest-keys.ts';

it('names what has no effect in one line each, what is about images and routes in one for all', () => {
  expect(
    unusedKeys({
      graphs: {},
      http: { app: './app.py:app', disable_store: true, disable_mcp: true, cors: { max_age: 1 } },
      checkpointer: { ttl: {} },
      ui: { chat: './ui.tsx' },
      image_distro: 'wolfi',
      dockerfile_lines: ['RUN true'],
      graph: 1,
    }),
  ).toEqual([
    'unknown key "graph"',
    'checkpointer: not used, checkpoints are kept by the engine; how many is a setting of the service',
    'ui: not used, no user interface of the agents is served',
    'image_distro, dockerfile_lines: not used, since no image is built',
    'http.cors: not used, pages of other origins are a setting of the service, api.cors.allowed_origins',
    'http.disable_store, http.disable_mcp: not used, all routes are served',
  ]);
});

it('reports no empty entries', () => {
  const empty = { dockerfile_lines: [], ui: {}, pip_config_file: null, http: { cors: null } };
  expect(unusedKeys({ ...empty, disable_persistence: false })).toEqual([]);
});
