import { act, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { useWatchedRuns, watchRun } from '../../../api/watched-runs.ts';
import { fakeService } from '../../../test/fake-service.ts';
import { renderRoutes } from '../../../test/render-page.tsx';
import { useInView } from '../../../state/in-view.ts';
import { run } from '../runs-fixture.tsx';
import { useNotices } from './notices.tsx';
import { RunNotices } from './run-notices.tsx';

afterEach(() => useNotices.setState({ unseen: [] }));

function RunPage(): null {
  useInView(run.run_id);
  return null;
}

/** The notices beside a page; the test ends the run. */
function openNotices(at: '/elsewhere' | '/run') {
  document.title = 'Agent Runtime';
  const state = { run: { ...run } as Record<string, unknown> };
  const service = fakeService({ 'GET /threads/:id/runs/:run': () => state.run });
  const withNotices = (page: ReactNode) => (
    <>
      <RunNotices />
      {page}
    </>
  );
  const opened = renderRoutes(
    [
      { path: '/elsewhere', element: withNotices(<p>Another page</p>) },
      { path: '/run', element: withNotices(<RunPage />) },
    ],
    at,
  );
  return { ...service, ...opened, state };
}

const isEnded = () => expect(useWatchedRuns.getState().runs).toEqual([]);

test('the end of a run that was started here is reported once, with a link and a mark in the title', async () => {
  const { state } = openNotices('/elsewhere');
  state.run = { ...run, status: 'completed' };
  act(() => watchRun(run));
  const link = await screen.findByRole('link', { name: 'Open run' });
  expect(link.getAttribute('href')).toBe(
    '#/threads/made/runs/01a1ffd9-042e-7508-92d5-aa758258de62',
  );
  await waitFor(() => expect(document.title).toBe('(1) Agent Runtime'));
  expect(screen.getAllByRole('alert')).toHaveLength(1);
  isEnded();
});

test('a question leads to its answer, a failure shows what failed', async () => {
  const { state } = openNotices('/elsewhere');
  state.run = { ...run, status: 'interrupted' };
  act(() => watchRun(run));
  expect(await screen.findByRole('link', { name: 'Answer' })).toBeVisible();
  const error = { code: 'agent_error', type: 'KeyError', message: 'No such order.' };
  state.run = { ...run, run_id: `${run.run_id.slice(0, -1)}3`, status: 'error', error };
  act(() => watchRun({ ...run, run_id: `${run.run_id.slice(0, -1)}3` }));
  expect(await screen.findByText('KeyError: No such order.')).toBeVisible();
  await waitFor(() => expect(document.title).toBe('(2) Agent Runtime'));
});

test('what is in view is not reported', async () => {
  const { state } = openNotices('/run');
  state.run = { ...run, status: 'completed' };
  act(() => watchRun(run));
  await waitFor(isEnded);
  expect(screen.queryByRole('alert')).toBeNull();
  expect(document.title).toBe('Agent Runtime');
});

test('a hidden page is not in view; its notice ends when it is visible again', async () => {
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  const { state } = openNotices('/run');
  state.run = { ...run, status: 'completed' };
  act(() => watchRun(run));
  await waitFor(() => expect(document.title).toBe('(1) Agent Runtime'));
  visibility.mockReturnValue('visible');
  act(() => void document.dispatchEvent(new Event('visibilitychange')));
  await waitFor(() => expect(document.title).toBe('Agent Runtime'));
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});

test('the notice ends when its run is opened, or when it is closed', async () => {
  const { state, router } = openNotices('/elsewhere');
  state.run = { ...run, status: 'completed' };
  act(() => watchRun(run));
  await userEvent.click(await screen.findByRole('button', { name: 'Close the notice' }));
  await waitFor(() => expect(document.title).toBe('Agent Runtime'));
  act(() => watchRun(run));
  await waitFor(() => expect(document.title).toBe('(1) Agent Runtime'));
  await act(() => router.navigate('/run'));
  await waitFor(() => expect(document.title).toBe('Agent Runtime'));
});

test('runs that were not started here are not asked for', async () => {
  const { requests } = openNotices('/elsewhere');
  expect(await screen.findByText('Another page')).toBeVisible();
  expect(requests).toEqual([]);
});
