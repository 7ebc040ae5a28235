import { act, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { ThreadWithValues } from '../api/generated/types.gen.ts';
import { threadRoutes } from '../features/checkpoints/index.ts';
import { threadsRoutes } from '../features/threads/index.ts';
import { fakeService, json } from '../test/fake-service.ts';
import { renderRoutes } from '../test/render-page.tsx';
// Pages are loaded with their first visit; here before a test's time limit starts.
import '../features/checkpoints/page.tsx';
import '../features/threads/threads-page.tsx';
import '../features/threads/page/state-tab.tsx';
import '../features/threads/page/thread-page.tsx';

const time = '2026-11-21T12:00:00.000Z';

test('the count of checkpoints follows a saved state', async () => {
  const entries = Array.from({ length: 4 }, (_, index) => ({
    checkpoint: { thread_id: 'counted', checkpoint_ns: '', checkpoint_id: `c${4 - index}` },
    values: {},
    metadata: {},
    created_at: time,
  }));
  let saved = 3;
  const counted = (): ThreadWithValues => ({
    thread_id: 'counted',
    status: 'idle',
    created_at: time,
    updated_at: `2026-11-21T12:00:0${saved}.000Z`,
    metadata: {},
    values: { amount: saved },
  });
  fakeService({
    'POST /threads/search': () => json([], 200, { 'X-Pagination-Total': '0' }),
    'GET /threads/:id': counted,
    'GET /threads/:id/runs': () => json([], 200, { 'X-Pagination-Total': '0' }),
    'GET /agents': () => [],
    'GET /threads/:id/state/:checkpoint': () => ({ values: {} }),
    'POST /threads/:id/history': () => entries.slice(-saved),
    'POST /threads/:id/state': () => {
      saved += 1;
      return {};
    },
  });
  const { router } = renderRoutes(
    (queryClient) => threadsRoutes(queryClient, threadRoutes),
    '/threads/counted/checkpoints',
  );
  expect(await screen.findByRole('link', { name: 'Checkpoints 3' })).toBeVisible();
  await act(() => router.navigate('/threads/counted/state'));
  await userEvent.click(await screen.findByRole('button', { name: 'Edit' }));
  await userEvent.click(await screen.findByRole('textbox', { name: 'State' }));
  await userEvent.keyboard('{Control>}a{/Control}');
  await userEvent.paste('{"amount": 120}');
  const review = await screen.findByRole('button', { name: 'Review changes' });
  await waitFor(() => expect(review).toHaveProperty('disabled', false));
  await userEvent.click(review);
  await userEvent.click(await screen.findByRole('button', { name: 'Save state' }));
  expect(await screen.findByRole('link', { name: 'Checkpoints 4' })).toBeVisible();
});
