import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { fakeService, json } from '../../../test/fake-service.ts';
import { renderRoutes } from '../../../test/render-page.tsx';
import { threadsRoutes } from '../index.ts';
// Pages are loaded with their first visit; here before a test's time limit starts.
import '../threads-page.tsx';
import './conversation.tsx';
import './thread-page.tsx';

const time = '2026-11-21T12:00:00.000Z';
const runOf = (thread: string, digit: number) => ({
  run_id: `${thread}_01a1ffd9-042e-7508-92d5-00000000000${digit}`,
  thread_id: thread,
  status: 'completed',
  created_at: time,
  updated_at: time,
  metadata: {},
  agent_id: 'chat',
  max_attempts: 3,
});
const thread = (id: string, more = {}) => ({
  thread_id: id,
  status: 'idle',
  created_at: time,
  updated_at: time,
  metadata: {},
  ...more,
  values: { messages: [{ type: 'human', id: 'm1', content: 'Hello' }] },
});
const forked = {
  metadata: { team: 'a' },
  copied_from: { thread_id: 'first', checkpoint_id: 'c2', step: 3 },
};

function openCopy({ origin = [{ ...thread('first'), title: 'Lost parcel' }], hasRun = true } = {}) {
  const service = fakeService({
    'GET /threads/copy': () => thread('copy', forked),
    'GET /threads/copy/runs': () => json(hasRun ? [runOf('copy', 9)] : []),
    'POST /threads/search': ({ body }) => {
      const { ids = [] } = body as { ids?: string[] };
      return json(ids[0] === 'first' ? origin : [thread('copy', forked)]);
    },
    'GET /threads/first/history': () => [],
    'GET /threads/first/runs': () => json([runOf('first', 2), runOf('first', 1)]),
    'POST /threads/copy/copy': () => thread('again'),
    'GET /agents': () => [{ agent_id: 'chat', name: 'chat' }],
    'GET /agents/:name/schemas': () => ({ input_schema: { properties: { messages: {} } } }),
  });
  const compare = { path: '/runs/compare', element: <p>the comparison</p> };
  return {
    ...service,
    ...renderRoutes((client) => [...threadsRoutes(client, []), compare], '/threads/copy'),
  };
}

test('a copy shows what it was forked from, with a link to that checkpoint', async () => {
  openCopy();
  const link = await screen.findByRole('link', { name: 'Lost parcel at step 3' });
  expect(link.getAttribute('href')).toBe('/threads/first/checkpoints?at=c2');
});

test('a copy is compared with its origin by a click', async () => {
  const { router } = openCopy();
  await screen.findByRole('link', { name: 'Lost parcel at step 3' });
  await userEvent.click(screen.getByRole('button', { name: 'Compare with the origin' }));
  expect(await screen.findByText('the comparison')).toBeVisible();
  const { a, b } = Object.fromEntries(new URLSearchParams(router.state.location.search));
  expect([a, b]).toEqual([runOf('first', 2).run_id, runOf('copy', 9).run_id]);
});

test('a copy without runs has nothing to compare yet', async () => {
  openCopy({ hasRun: false });
  await screen.findByRole('link', { name: 'Lost parcel at step 3' });
  const compare = screen.getByRole('button', { name: 'Compare with the origin' });
  expect(compare.getAttribute('aria-disabled')).toBe('true');
});

test('an origin that was deleted has no link', async () => {
  openCopy({ origin: [] });
  expect(await screen.findByText(/which was deleted or may not be read/)).toBeVisible();
  expect(screen.queryByRole('link', { name: /first at step 3/ })).toBeNull();
});

test('a thread is copied with one request', async () => {
  const { requests, router } = openCopy();
  await userEvent.click(
    await screen.findByRole('button', { name: 'More actions for this thread' }),
  );
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Copy thread' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/threads/again'));
  expect(requests.find(({ path }) => path === '/threads/copy/copy')?.body).toEqual({});
  expect(requests.find(({ method }) => method === 'PATCH')).toBeUndefined();
});
