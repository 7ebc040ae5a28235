import { Outlet } from 'react-router';
import { createQueryClient } from '../../api/query-client.ts';
import { fakeService } from '../../test/fake-service.ts';
import { renderRoutes } from '../../test/render-page.tsx';
import { ComposerHost, runsRoutes, threadRoutes } from './index.ts';
// Pages are loaded with their first visit; here before a test's time limit starts.
import './compare/compare-page.tsx';
import './composer/composer-drawer.tsx';
import './page/run-page.tsx';
import './thread/thread-runs.tsx';

/** A run on the thread `made`. */
export const run = {
  run_id: 'made_01a1ffd9-042e-7508-92d5-aa758258de62',
  thread_id: 'made',
  status: 'running',
  created_at: '2026-11-21T12:00:00.000Z',
  updated_at: '2026-11-21T12:00:01.000Z',
  metadata: {},
  agent_id: 'approval',
  max_attempts: 3,
};

/** The pages of runs under the frame's composer, at this address. */
export function openAt(at: string, handlers: Parameters<typeof fakeService>[0] = {}) {
  const service = fakeService({
    'GET /agents': () => [
      { agent_id: 'approval', name: 'approval', description: 'Refunds.', capabilities: {} },
    ],
    'GET /agents/:name/schemas': () => ({
      agent_id: 'approval',
      name: 'approval',
      input_schema: {
        type: 'object',
        required: ['order'],
        properties: { order: { type: 'string' }, amount: { type: 'number' } },
      },
      output_schema: {},
    }),
    'GET /agents/:name/graph': () => ({ agent_id: 'approval', nodes: [], edges: [] }),
    'GET /info': () => ({ version: '0.1.0' }),
    'POST /threads': () => ({ thread_id: 'made', status: 'idle', metadata: {} }),
    'POST /threads/:id/runs': () => run,
    'GET /threads/:id/runs': () => [run],
    ...handlers,
  });
  const threads = { path: '/threads/:threadId', children: [...threadRoutes] };
  const frame = (
    <>
      <ComposerHost />
      <Outlet />
    </>
  );
  const client = createQueryClient();
  const children = [...runsRoutes(client), threads, { path: '/here', element: <p>A page</p> }];
  return { ...service, client, ...renderRoutes([{ element: frame, children }], at, client) };
}
