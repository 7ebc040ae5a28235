import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { threadKeys } from '../../api/queries/thread-keys.ts';
import { createQueryClient } from '../../api/query-client.ts';
import { failure, fakeService, type FakeRequest } from '../../test/fake-service.ts';
import { renderRoutes } from '../../test/render-page.tsx';
import { threadRoutes } from './index.ts';
// The page is loaded with its first visit; here before a test's time limit starts.
import './page.tsx';

const runUuid = '01a217cb-3d5c-7230-8e31-f318f4f9e7e3';
const ref = (id: string) => ({ thread_id: 't', checkpoint_ns: '', checkpoint_id: id });
const entry = (id: string, step: number, values: Record<string, unknown>, more = {}) => ({
  checkpoint: ref(id),
  values,
  metadata: {
    source: step < 0 ? 'input' : 'loop',
    step,
    parents: {},
    run_id: runUuid,
    agent_id: 'a',
  },
  created_at: '2026-11-21T12:00:00Z',
  ...more,
});
const history = [
  entry('c3', 1, { topic: 'x', plan: 'later' }, { parent_checkpoint: ref('c2') }),
  entry('c2', 0, { topic: 'x' }, { parent_checkpoint: ref('c1'), next_nodes: ['plan'] }),
  entry('c1', -1, {}),
];
const values = (request: FakeRequest) => ({
  thread_id: 't',
  values: history.find(({ checkpoint }) => request.path.endsWith(checkpoint.checkpoint_id))?.values,
});
const handlers = {
  'POST /threads/t/history': () => history,
  'GET /threads/t/state/:id': values,
  'POST /threads/search': () => [],
  'GET /threads/t/runs': () => [{ run_id: 't_' + runUuid }],
  'GET /info': () => ({ version: '1', flags: { max_checkpoint_history: 1, test_mode: true } }),
};
const routes = [{ path: '/threads/:threadId', children: threadRoutes }];
const paramsIn = ({ state }: ReturnType<typeof renderRoutes>['router']) =>
  Object.fromEntries(new URLSearchParams(state.location.search));

test('checkpoints are listed under their run, with their origin, and the newest is open', async () => {
  const { requests } = fakeService(handlers);
  renderRoutes(routes, '/threads/t/checkpoints');
  const rows = await screen.findAllByRole('option');
  expect(rows.map((row) => row.textContent)).toEqual([
    expect.stringMatching(/^run 01a2.*a3 checkpoints$/),
    expect.stringMatching(/^1planplan/),
    expect.stringMatching(/^0starttopic/),
    expect.stringMatching(/^-1input/),
  ]);
  expect(await screen.findByRole('heading', { name: 'Step 1: plan' })).toBeVisible();
  expect((await screen.findByRole('textbox', { name: 'Values' })).textContent).toContain('later');
  expect(screen.getByText(/only the newest checkpoint is kept/)).toBeVisible();
  expect(requests.find(({ path }) => path.endsWith('/history'))?.body).toMatchObject({
    checkpoint: { checkpoint_ns: '*' },
  });
});

test('space marks A and B, and the difference of the two is shown', async () => {
  fakeService(handlers);
  const { router } = renderRoutes(routes, '/threads/t/checkpoints');
  (await screen.findByRole('listbox')).focus();
  await userEvent.keyboard(' {ArrowDown} ');
  const change = await screen.findByRole('listitem');
  expect(within(change).getByText('plan')).toBeVisible();
  expect(screen.getByText('1 added')).toBeVisible();
  expect(paramsIn(router)).toEqual({ a: 'c3', b: 'c2', at: 'c2', view: 'changes' });
});

test('a click fetches the values before the page is rendered again', async () => {
  fakeService({
    ...handlers,
    'POST /threads/clicked/history': () => history,
    'GET /threads/clicked/state/:id': values,
  });
  renderRoutes(routes, '/threads/clicked/checkpoints');
  const start = await screen.findByText('start');
  await screen.findByRole('textbox', { name: 'Values' });
  const sent = vi.spyOn(globalThis, 'fetch');
  start.click();
  const paths = sent.mock.calls.map(([request]) => request instanceof Request && request.url);
  expect(paths).toEqual([expect.stringMatching(/\/threads\/clicked\/state\/c2$/)]);
  expect(await screen.findByRole('heading', { name: 'Step 0: start' })).toBeVisible();
  await waitFor(() =>
    expect(screen.getByRole('textbox', { name: 'Values' }).textContent).not.toContain('later'),
  );
});

test('keys pressed faster than the page renders are all handled', async () => {
  fakeService(handlers);
  const { router } = renderRoutes(routes, '/threads/t/checkpoints');
  (await screen.findByRole('listbox')).focus();
  await userEvent.setup({ delay: null }).keyboard(' {ArrowDown} ');
  await waitFor(() =>
    expect(paramsIn(router)).toEqual({ a: 'c3', b: 'c2', at: 'c2', view: 'changes' }),
  );
});

test('the URL contains what is shown, and keeps the filter of the list of threads', async () => {
  fakeService({
    ...handlers,
    'POST /threads/t/copy': () => ({ thread_id: 'copy', status: 'idle', metadata: {} }),
  });
  const { router } = renderRoutes(routes, '/threads/t/checkpoints?status=idle&at=c3&view=changes');
  expect(await screen.findByText('1 added')).toBeVisible();
  screen.getByRole('listbox').focus();
  await userEvent.keyboard('{ArrowDown}');
  expect(paramsIn(router)).toEqual({ status: 'idle', at: 'c2', view: 'changes' });
  expect(screen.getByRole('link', { name: 'Run from here' }).getAttribute('href')).toBe(
    '/threads/t/runs?status=idle&compose=1&checkpoint=c2',
  );
  await userEvent.click(screen.getByRole('button', { name: 'Fork from here' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/threads/copy/checkpoints'));
  expect(paramsIn(router)).toEqual({ status: 'idle' });
});

test('a fork copies the thread at the checkpoint, and opens the copy', async () => {
  const copy = { thread_id: 'copy', status: 'idle', metadata: {} };
  const { requests } = fakeService({ ...handlers, 'POST /threads/t/copy': () => copy });
  const { router } = renderRoutes(routes, '/threads/t/checkpoints?at=c2');
  await userEvent.click(await screen.findByRole('button', { name: 'Fork from here' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/threads/copy/checkpoints'));
  expect(requests.find(({ path }) => path === '/threads/t/copy')?.body).toEqual({
    checkpoint: { checkpoint_id: 'c2' },
  });
});

/** Edits the state of the checkpoint that is shown, up to the review of the change. */
async function editState(text: string): Promise<void> {
  await userEvent.click(await screen.findByRole('button', { name: 'Edit and continue' }));
  await userEvent.click(await screen.findByRole('textbox', { name: 'State' }));
  await userEvent.keyboard('{Control>}a{/Control}');
  await userEvent.paste(text);
  const review = screen.getByRole('button', { name: 'Review changes' });
  await waitFor(() => expect(review).toHaveProperty('disabled', false));
  await userEvent.click(review);
}

test('a state is edited and continued in one act: a copy, its state, its run', async () => {
  const { requests } = fakeService({
    ...handlers,
    'POST /threads/t/copy': () => ({ thread_id: 'copy', status: 'idle', metadata: {} }),
    'POST /threads/copy/state': () => ({ checkpoint: ref('c4') }),
    'POST /threads/copy/runs': () => ({ run_id: `copy_${runUuid}`, thread_id: 'copy' }),
  });
  const { router } = renderRoutes(routes, '/threads/t/checkpoints?at=c2');
  await editState('{"topic": "y"}');
  await userEvent.click(await screen.findByRole('button', { name: 'Continue with this state' }));
  await waitFor(() => expect(router.state.location.pathname).toBe(`/threads/copy/runs/${runUuid}`));
  const made = requests.filter(({ method, path }) => method === 'POST' && path.includes('copy'));
  expect(made.map(({ path, body }) => [path, body])).toMatchObject([
    ['/threads/t/copy', { checkpoint: { checkpoint_id: 'c2' } }],
    ['/threads/copy/state', { topic: 'y' }],
    ['/threads/copy/runs', { agent_id: 'a', input: null }],
  ]);
});

test('a run has a link where it has a page: not in a copy, whose checkpoint is of a run of its source', async () => {
  const runs = vi.fn<() => unknown[]>(() => [{ run_id: `t_${runUuid}` }]);
  fakeService({ ...handlers, 'GET /threads/t/runs': runs });
  renderRoutes(routes, '/threads/t/checkpoints');
  expect(await screen.findByRole('link', { name: /^01a2/ })).toBeVisible();
  cleanup();
  runs.mockReturnValue([]);
  renderRoutes(routes, '/threads/t/checkpoints');
  expect(await screen.findAllByTitle(/thread that this one was copied from/)).toHaveLength(2);
  expect(screen.queryByRole('link', { name: /^01a2/ })).toBeNull();
});

test('running from a checkpoint opens the composer with it', async () => {
  fakeService(handlers);
  renderRoutes(routes, '/threads/t/checkpoints?at=c2');
  const link = await screen.findByRole('link', { name: 'Run from here' });
  expect(link.getAttribute('href')).toBe('/threads/t/runs?compose=1&checkpoint=c2');
});

test('a thread without checkpoints explains what will be here', async () => {
  fakeService({ ...handlers, 'POST /threads/t/history': () => [] });
  renderRoutes(routes, '/threads/t/checkpoints');
  expect(await screen.findByText('No checkpoints yet')).toBeVisible();
});

test('a checkpoint that is made while the page is open appears', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let now = history.slice(1);
  fakeService({ ...handlers, 'POST /threads/t/history': () => now });
  renderRoutes(routes, '/threads/t/checkpoints');
  expect(await screen.findAllByRole('option')).toHaveLength(3);
  now = history;
  await act(() => vi.advanceTimersByTimeAsync(2_000));
  await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(4));
});

test('older checkpoints that arrive while the newest are read again stay', async () => {
  const all = Array.from({ length: 30 }, (_, index) =>
    entry(`c${String(30 - index).padStart(2, '0')}`, 30 - index, {}),
  );
  const idOf = ({ checkpoint }: (typeof all)[number]): string => checkpoint.checkpoint_id;
  let readAgain = (): void => undefined;
  const isReadAgain = new Promise<void>((resolve) => (readAgain = resolve));
  let respond = (): void => undefined;
  const mayRespond = new Promise<void>((resolve) => (respond = resolve));
  let reads = 0;
  fakeService({
    ...handlers,
    'GET /threads/t/state/:id': () => ({ values: {} }),
    'POST /threads/t/history': async ({ body }) => {
      const { limit, before } = body as { limit: number; before?: string };
      // The older ones arrive between the second request for the newest and its response.
      if (before !== undefined) {
        await isReadAgain;
        return all.filter((one) => idOf(one) < before).slice(0, limit);
      }
      reads += 1;
      if (reads === 2) {
        readAgain();
        await mayRespond;
      }
      return all.slice(0, limit);
    },
  });
  const client = createQueryClient();
  renderRoutes(routes, '/threads/t/checkpoints', client);
  await screen.findAllByRole('option');
  const known = () =>
    client.getQueryData<{ checkpoints: unknown[] }>(threadKeys.history('t'))?.checkpoints.length;
  expect(known()).toBe(20);
  const reading = client.refetchQueries({ queryKey: threadKeys.history('t') });
  await waitFor(() => expect(known()).toBe(30));
  respond();
  await act(() => reading);
  expect(known()).toBe(30);
});

test('values are copied also before they are shown, and what prevents it is reported', async () => {
  let respond = (): void => undefined;
  const loaded = new Promise<void>((resolve) => (respond = resolve));
  fakeService({
    ...handlers,
    'POST /threads/slow/history': () => history,
    'GET /threads/slow/state/:id': async (request) => {
      await loaded;
      return request.path.endsWith('c1') ? failure(500, 'internal', 'Failed.') : values(request);
    },
  });
  const user = userEvent.setup(); // with a clipboard
  renderRoutes(routes, '/threads/slow/checkpoints');
  const copy = async (): Promise<void> => {
    await user.click(await screen.findByRole('button', { name: 'More about this checkpoint' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Copy values' }));
  };
  await copy();
  respond();
  await waitFor(async () => expect(await navigator.clipboard.readText()).toContain('later'));
  await user.click(screen.getByText('input'));
  await screen.findByRole('heading', { name: 'Step -1: input' });
  await copy();
  expect((await screen.findAllByText('The values could not be read')).length).toBeGreaterThan(0);
});

test('a state that is refused leaves no copy of the thread behind', async () => {
  const { requests } = fakeService({
    ...handlers,
    'POST /threads/t/copy': () => ({ thread_id: 'copy', status: 'idle', metadata: {} }),
    'POST /threads/copy/state': () => failure(400, 'invalid_request', 'No such channel.'),
    'DELETE /threads/copy': () => new Response(null, { status: 204 }),
  });
  renderRoutes(routes, '/threads/t/checkpoints');
  await editState('{"topic": "y", "plan": "later"}');
  // No step is left at the end of the run: there is nothing to continue.
  expect(screen.queryByRole('button', { name: 'Continue with this state' })).toBeNull();
  await userEvent.click(await screen.findByRole('button', { name: 'Copy and compose a run' }));
  expect(await screen.findByText('The copy could not be changed')).toBeVisible();
  const made = requests.find(({ path }) => path === '/threads/copy/state');
  expect(made?.body).toEqual({ topic: 'y' });
  const deleted = requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
  expect(deleted).toEqual(['/threads/copy']);
});
