import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { failure, type FakeRequest, fakeService, json } from '../../../test/fake-service.ts';
import { renderRoutes } from '../../../test/render-page.tsx';
import { offeredCommands } from '../../../ui/commands.ts';
import { useSentRuns } from '../../../api/sent-runs.ts';
import { runsRoutes } from '../index.ts';
import { useHiddenRuns } from './hidden-runs.ts';
import { Component as RunsPage } from './runs-page.tsx';

beforeEach(() => {
  useHiddenRuns.setState({ ids: new Set() });
  useSentRuns.setState({ runs: [] });
});

afterEach(() => void vi.useRealTimers());

const uuid = (n: number): string => `01a1ffd9-042e-7508-92d5-00000000000${n}`;
const tokens = { input: 10, output: 5, total: 15 };
const run = (n: number, more: object = {}) => ({
  run_id: `thread-${n}_${uuid(n)}`,
  thread_id: `thread-${n}`,
  agent_id: 'desk',
  status: 'completed',
  created_at: '2026-11-26T12:00:00Z',
  last_activity_at: `2026-11-26T12:00:0${9 - n}Z`,
  duration_ms: 1_234,
  attempts: 1,
  input_preview: `question ${n}`,
  tokens,
  metadata: {},
  is_incomplete: false,
  ...more,
});
const failed = run(2, {
  status: 'error',
  error: { code: 'agent_error', type: 'KeyError', node: 'price', message: 'no pear' },
});
const facets = {
  status: { completed: 2, error: 1 },
  agent_id: { desk: 3 },
  error_code: { agent_error: 1 },
  is_capped: false,
};
const part = (hour: number) => ({
  from: `2026-11-26T${10 + hour}:00:00.000Z`,
  to: `2026-11-26T${11 + hour}:00:00.000Z`,
  runs: hour,
  errors: 1,
  tokens,
});

const alone = () => [
  { path: '/runs', element: <RunsPage /> },
  { path: '*', element: <p>another page</p> },
];

function openRuns(
  search = '',
  handlers: Parameters<typeof fakeService>[0] = {},
  routes: Parameters<typeof renderRoutes>[0] = alone,
) {
  const service = fakeService({
    'POST /runs/search': () => ({ runs: [run(1), failed, run(3)], facets }),
    'GET /stats/runs': () => ({
      total: { runs: 3, errors: 1, p50_ms: 812, p95_ms: 4_200, tokens },
      over_time: [part(0), part(1), part(2), part(3)],
      by_agent: [],
    }),
    'GET /agents': () => [{ agent_id: 'desk', name: 'desk', capabilities: {} }],
    'GET /info': () => ({ version: '0.1.0' }),
    ...handlers,
  });
  const page = renderRoutes(routes, `/runs${search}`);
  return { ...service, ...page };
}
const searches = (requests: readonly FakeRequest[]) =>
  requests.flatMap(({ path, body }) => (path === '/runs/search' ? [body as object] : []));
const press = (keys: string): void =>
  act(() =>
    offeredCommands()
      .find((command) => command.keys === keys)
      ?.run({ navigate: () => undefined }),
  );

test('a run is a row with its status, agent, input, error, duration and tokens, and opens', async () => {
  const { router } = openRuns();
  const row = await screen.findByRole('option', { name: /KeyError/ });
  for (const text of ['error', 'desk', 'question 2', 'KeyError in price: no pear', '1.2 s', '15'])
    expect(within(row).getByText(text)).toBeVisible();
  await userEvent.click(within(row).getByText('question 2'));
  expect(router.state.location.pathname).toBe(`/threads/thread-2/runs/${uuid(2)}`);
});

test('the first runs are read ahead of the page, and not again by it', async () => {
  // However long it takes here, no time has passed since they were read.
  vi.useFakeTimers({ toFake: ['Date'] });
  const { requests } = openRuns('?agent=desk', {}, runsRoutes);
  await screen.findByRole('option', { name: /KeyError/ });
  expect(searches(requests).filter((one) => !('facets' in one))).toHaveLength(1);
  const bodies = requests.flatMap(({ path, body }) => (path.startsWith('/agents') ? [] : [body]));
  expect(bodies[0]).toEqual({ agent_id: ['desk'], limit: 100 });
});

test('the next page is read when the list is scrolled, not beside the first rows', async () => {
  const many = Array.from({ length: 100 }, (_, n) => ({ ...run(1), run_id: `thread-1_${n}` }));
  const { requests } = openRuns('', {
    'POST /runs/search': ({ body }) =>
      'facets' in (body as object)
        ? { runs: [], facets }
        : json({ runs: many }, 200, { 'X-Pagination-Next': 'further' }),
  });
  await screen.findAllByRole('option');
  await screen.findByRole('img', { name: /runs over time/ });
  const further = () => searches(requests).filter((one) => 'cursor' in one);
  expect(further()).toEqual([]);
  const list = screen.getByRole('listbox', { name: 'All runs' });
  list.scrollTop = 1_200;
  fireEvent.scroll(list);
  await waitFor(() => expect(further()).toEqual([{ limit: 500, cursor: 'further' }]));
});

test('filters are in the URL and in the search, and each choice has its count', async () => {
  const { requests, router } = openRuns('?agent=desk&since=24h');
  await screen.findAllByRole('option');
  const body = searches(requests).find((one) => 'limit' in one && one.limit === 100) as {
    created_after: string;
  };
  expect(body).toMatchObject({ agent_id: ['desk'], limit: 100 });
  expect(Date.now() - Date.parse(body.created_after)).toBeGreaterThan(23 * 3_600_000);
  await userEvent.click(screen.getByRole('button', { name: 'Status' }));
  const error = await screen.findByRole('menuitem', { name: /error/ });
  expect(error.textContent).toBe('error1');
  await userEvent.click(error);
  expect(router.state.location.search).toBe('?status=error&agent=desk&since=24h');
  await waitFor(() =>
    expect(searches(requests)).toContainEqual(
      expect.objectContaining({ status: ['error'], agent_id: ['desk'], limit: 100 }),
    ),
  );
});

test('the text is searched as one types, with one step of the history', async () => {
  const { requests, router } = openRuns();
  await screen.findAllByRole('option');
  await userEvent.type(screen.getByRole('textbox', { name: 'Search runs' }), 'refund');
  await waitFor(() => expect(router.state.location.search).toBe('?q=refund'));
  await waitFor(() => expect(searches(requests)).toContainEqual({ text: 'refund', limit: 100 }));
});

test('dragging over the chart sets the window of the list', async () => {
  const { router } = openRuns();
  const chart = await screen.findByRole('img', { name: '3 runs over time, 1 failed' });
  const track = chart.parentElement;
  if (track === null) throw new Error('no chart');
  track.setPointerCapture = () => undefined;
  // 800 pixels wide, with four parts.
  fireEvent.pointerDown(track, { button: 0, clientX: 250 });
  fireEvent.pointerMove(track, { clientX: 450 });
  fireEvent.pointerUp(track, { clientX: 450 });
  const search = new URLSearchParams(router.state.location.search);
  expect(Object.fromEntries(search)).toEqual({ from: part(1).from, to: part(2).to });
  expect(await screen.findByText('11-26 11:00 – 11-26 13:00 UTC')).toBeVisible();
});

test('two selected runs of two threads are compared', async () => {
  const { router } = openRuns();
  await screen.findAllByRole('option');
  for (const keys of ['j', 'x', 'j', 'x']) press(keys);
  expect(await screen.findByText('2 selected')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Compare' }));
  expect(router.state.location.pathname).toBe('/runs/compare');
  expect(new URLSearchParams(router.state.location.search).get('a')).toBe(run(1).run_id);
  expect(new URLSearchParams(router.state.location.search).get('b')).toBe(failed.run_id);
});

test('a run is sent again from the menu of its row, with its recorded input', async () => {
  const { requests, router } = openRuns('', {
    'GET /runs/:id/input': () => ({ kind: 'input', input: { text: 'hi' } }),
    'GET /runs/:id': () => run(1),
    'POST /threads/thread-1/runs': () => ({ ...run(4), thread_id: 'thread-1' }),
  });
  await screen.findAllByRole('option');
  press('j');
  press('m');
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Re-run' }));
  await waitFor(() =>
    expect(router.state.location.pathname).toBe(`/threads/thread-1/runs/${uuid(4)}`),
  );
  const sent = requests.find(
    ({ method, path }) => `${method} ${path}` === 'POST /threads/thread-1/runs',
  );
  expect(sent?.body).toMatchObject({ agent_id: 'desk', input: { text: 'hi' } });
});

test('Edit and re-run opens the composer with that run', async () => {
  const { router } = openRuns();
  await screen.findAllByRole('option');
  press('j');
  press('m');
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Edit and re-run' }));
  expect(Object.fromEntries(new URLSearchParams(router.state.location.search))).toEqual({
    compose: '1',
    input_of: run(1).run_id,
    for: 'desk',
  });
});

test('a deleted run disappears at once, and comes back when that is undone', async () => {
  openRuns();
  await screen.findAllByRole('option');
  press('j');
  press('m');
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  await waitFor(() => expect(screen.queryByText('question 1')).toBeNull());
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('question 1')).toBeVisible();
});

test('a filter is saved as a view, which sets it again', async () => {
  const { router } = openRuns('?status=error&q=pear');
  await userEvent.click(await screen.findByRole('button', { name: 'Save this view' }));
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name of this view' }), 'Pears');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await userEvent.click(await screen.findByRole('button', { name: 'All' }));
  expect(router.state.location.search).toBe('');
  await userEvent.click(screen.getByRole('button', { name: 'Pears' }));
  expect(router.state.location.search).toBe('?status=error&q=pear');
});

test('older runs are read with the cursor, and stay when the newest are read again', async () => {
  const { requests } = openRuns('', {
    'POST /runs/search': ({ body }) =>
      (body as { cursor?: string }).cursor === undefined
        ? json({ runs: [run(1), failed] }, 200, { 'X-Pagination-Next': '7.2' })
        : { runs: [run(3)] },
  });
  expect(await screen.findByText('question 3')).toBeVisible();
  expect(searches(requests)).toContainEqual({ limit: 500, cursor: '7.2' });
  await waitFor(
    () =>
      expect(
        searches(requests).filter((body) => 'limit' in body && body.limit === 100).length,
      ).toBeGreaterThan(2),
    { timeout: 15_000 },
  );
  expect(screen.getByText('question 3')).toBeVisible();
});

test('an empty history explains what will be here', async () => {
  const none = { 'POST /runs/search': () => ({ runs: [] }) };
  openRuns('', none);
  expect(await screen.findByRole('heading', { name: 'No runs yet' })).toBeVisible();
  expect(screen.getByText(/^curl /)).toBeVisible();
});

test('a filter without a match can be cleared', async () => {
  const { router } = openRuns('?error=timeout', { 'POST /runs/search': () => ({ runs: [] }) });
  await userEvent.click(await screen.findByRole('button', { name: 'Clear the filter' }));
  expect(router.state.location.search).toBe('');
});

test('a history that is off names the setting', async () => {
  const off = () => failure(404, 'history_disabled', 'The run history is off.');
  openRuns('', { 'POST /runs/search': off, 'GET /stats/runs': off });
  expect(await screen.findByRole('heading', { name: 'The run history is off' })).toBeVisible();
  expect(screen.getByText('history.provider')).toBeVisible();
});
