import { act, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { Thread } from '../../../api/generated/types.gen.ts';
import { useListQuery } from '../../../state/list-query.ts';
import { usePrincipal } from '../../../state/principal.ts';
import { useSavedViews } from '../../../state/saved-views.ts';
import { type FakeRequest, failure, fakeService, json } from '../../../test/fake-service.ts';
import { renderRoutes } from '../../../test/render-page.tsx';
import { offeredCommands } from '../../../ui/commands.ts';
import { commitPending } from '../../../ui/undo.tsx';
import { ThreadList } from './thread-list.tsx';

function thread(id: string, more: Partial<Thread> = {}): Thread {
  const time = '2026-11-21T12:00:00.000Z';
  return {
    thread_id: id,
    status: 'idle',
    created_at: time,
    updated_at: time,
    metadata: {},
    ...more,
  };
}

function openList(
  threads: Thread[],
  handlers: Parameters<typeof fakeService>[0] = {},
  at = '/threads',
) {
  useListQuery.setState({ query: '' });
  useSavedViews.setState({ views: [] });
  const service = fakeService({
    'POST /threads/search': ({ body }) => {
      const { status, metadata } = body as { status?: string; metadata?: Record<string, string> };
      const found = threads.filter(
        (one) =>
          (status === undefined || one.status === status) &&
          Object.entries(metadata ?? {}).every(([key, value]) => one.metadata[key] === value),
      );
      return json(found, 200, { 'X-Pagination-Total': String(found.length) });
    },
    'GET /agents': () => [],
    'GET /threads/:id/runs': () => [],
    ...handlers,
  });
  const { router } = renderRoutes(
    [
      { path: '/threads', element: <ThreadList /> },
      { path: '/threads/:threadId', element: <ThreadList /> },
    ],
    at,
  );
  return { ...service, router };
}

const rows = (): string[] => screen.getAllByRole('option').map((row) => row.textContent ?? '');
const searches = (requests: readonly FakeRequest[]): readonly unknown[] =>
  requests.filter(({ path }) => path === '/threads/search').map(({ body }) => body);

test('a row shows id, metadata, status and age', async () => {
  openList([thread('conv-1', { status: 'interrupted', metadata: { team: 'a' } })]);
  const row = await screen.findByRole('option');
  expect(row.textContent).toContain('conv-1');
  expect(row.textContent).toContain('team=a');
  expect(row.textContent).toContain('interrupted');
});

test('a row shows its title instead of the id, and the time of its last activity', async () => {
  const now = new Date().toISOString();
  openList([
    thread('conv-1', { title: 'Where is the invoice?', agent_id: 'desk', last_activity_at: now }),
  ]);
  const row = await screen.findByRole('option');
  expect(row.textContent).toContain('Where is the invoice?');
  expect(row.textContent).toContain('desk');
  expect(row.textContent).not.toContain('conv-1');
  expect(screen.getByTitle(/conv-1$/)).toBeVisible();
});

test('words are searched for as they are typed, and are in the URL', async () => {
  const { requests, router } = openList([thread('conv-1')]);
  await screen.findAllByRole('option');
  await userEvent.type(screen.getByLabelText('Search text, id or key=value'), 'blue whale');
  await waitFor(() => expect(router.state.location.search).toBe('?text=blue+whale'));
  await waitFor(() =>
    expect(searches(requests)).toContainEqual({
      ...{ order_by: 'last_activity_at', text: 'blue whale', limit: 100 },
    }),
  );
  await userEvent.clear(screen.getByLabelText('Search text, id or key=value'));
  await waitFor(() => expect(router.state.location.search).toBe(''));
});

test('a filter is in the URL and in the request, and can be removed', async () => {
  const { requests, router } = openList([
    thread('conv-1', { metadata: { team: 'a' } }),
    thread('conv-2'),
  ]);
  await screen.findAllByRole('option');
  await userEvent.type(screen.getByLabelText('Search text, id or key=value'), 'team=a{Enter}');
  await waitFor(() => expect(rows()).toHaveLength(1));
  expect(router.state.location.search).toBe('?meta=team%3Da');
  expect(searches(requests)).toContainEqual({
    ...{ order_by: 'last_activity_at', metadata: { team: 'a' }, limit: 100 },
  });
  await userEvent.click(screen.getByRole('button', { name: 'Remove filter team=a' }));
  await waitFor(() => expect(rows()).toHaveLength(2));
});

test('the URL alone gives the filtered list, and an empty result is reported', async () => {
  openList([thread('conv-1')], {}, '/threads?status=error');
  expect(await screen.findByText('No matching threads')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Clear the filter' }));
  expect(await screen.findByRole('option')).toBeVisible();
});

test('a view is saved under a name and found again', async () => {
  const { router } = openList(
    [thread('conv-1', { metadata: { team: 'a' } })],
    {},
    '/threads?meta=team%3Da',
  );
  await screen.findByRole('option');
  await userEvent.click(screen.getByRole('button', { name: 'View: filtered' }));
  await userEvent.type(await screen.findByLabelText('Name of this view'), 'Team A{Enter}');
  await userEvent.click(await screen.findByRole('menuitem', { name: 'All threads' }));
  await waitFor(() => expect(router.state.location.search).toBe(''));
  await userEvent.click(screen.getByRole('button', { name: 'View: All threads' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Team A' }));
  await waitFor(() => expect(router.state.location.search).toBe('?meta=team%3Da'));
});

test('a view is renamed, never to a name that is taken, and restored when forgotten by mistake', async () => {
  openList([thread('conv-1', { status: 'busy' })], {}, '/threads?status=busy&agent=chat');
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'View: filtered' }));
  await user.type(await screen.findByLabelText('Name of this view'), 'Failed{Enter}');
  expect(await screen.findByText('This name is taken.')).toBeVisible();
  await user.clear(screen.getByLabelText('Name of this view'));
  await user.type(screen.getByLabelText('Name of this view'), 'Chats{Enter}');
  await user.click(await screen.findByRole('button', { name: 'Rename view Chats' }));
  await user.clear(await screen.findByLabelText('New name of Chats'));
  await user.type(screen.getByLabelText('New name of Chats'), 'Talks{Enter}');
  expect(await screen.findByRole('menuitem', { name: 'Talks' })).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Forget view Talks' }));
  await waitFor(() => expect(screen.queryByRole('menuitem', { name: 'Talks' })).toBeNull());
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(useSavedViews.getState().views).toEqual([
    { name: 'Talks', query: 'status=busy&agent=chat' },
  ]);
});

test('the choice in a menu names its menu', async () => {
  openList([], {}, '/threads?status=error&run=error');
  expect(await screen.findByRole('button', { name: 'Status: error' })).toBeVisible();
  expect(screen.getByText('Newest run: error')).toBeVisible();
});

test('for an id that is not found the list explains that only whole ids match', async () => {
  openList([], {}, '/threads?id=conv');
  expect(await screen.findByText(/Only whole ids match/)).toBeVisible();
});

test('Escape clears the selection, and ] continues from where the keys have moved', async () => {
  const { router } = openList([thread('conv-1'), thread('conv-2'), thread('conv-3')]);
  const press = (keys: string): void =>
    act(() =>
      offeredCommands()
        .find((command) => command.keys === keys)
        ?.run({ navigate: () => undefined }),
    );
  await screen.findAllByRole('option');
  for (const keys of ['j', 'j', 'x']) press(keys);
  expect(await screen.findByText('1 selected')).toBeVisible();
  press('escape');
  await waitFor(() => expect(screen.queryByText('1 selected')).toBeNull());
  press(']');
  await waitFor(() => expect(router.state.location.pathname).toBe('/threads/conv-3'));
});

test('the age names what it is the age of', async () => {
  openList([thread('conv-1')]);
  await screen.findByRole('option');
  expect(document.querySelector('[data-tip="Made 2026-11-21 12:00:00.000 UTC"]')).not.toBeNull();
});

test('metadata that would be lost is not sent', async () => {
  const { requests } = openList([thread('conv-1')], {
    'POST /threads': () => json(thread('new'), 201),
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'New thread' }));
  const create = await screen.findByRole('button', { name: 'Create thread' });
  const add = screen.getByRole('button', { name: 'Add a line' });
  await user.click(add);
  await user.type(screen.getByLabelText('Key 1'), 'team');
  await user.click(add);
  await user.type(screen.getByLabelText('Key 2'), 'team');
  expect(await screen.findByText('The key exists already.')).toBeVisible();
  await user.clear(screen.getByLabelText('Key 2'));
  await user.type(screen.getByLabelText('Value 2'), 'a{Enter}');
  expect(await screen.findByText('The value has no key.')).toBeVisible();
  expect(create).toHaveProperty('disabled', true);
  expect(requests.some(({ method, path }) => method === 'POST' && path === '/threads')).toBe(false);
});

test('selected threads are hidden at once, restored by undo, and deleted only after it', async () => {
  const { requests } = openList([thread('conv-1'), thread('conv-2'), thread('conv-3')], {
    'DELETE /threads/:id': () => new Response(null, { status: 204 }),
  });
  const user = userEvent.setup();
  const selectTwo = async (): Promise<void> => {
    await user.keyboard('{Control>}');
    await user.click(screen.getByText('conv-1'));
    await user.click(screen.getByText('conv-2'));
    await user.keyboard('{/Control}');
  };
  await screen.findAllByRole('option');
  await selectTwo();
  await user.click(screen.getByRole('button', { name: 'Delete 2' }));
  await waitFor(() => expect(rows()).toHaveLength(1));
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(rows()).toHaveLength(3));
  expect(requests.filter(({ method }) => method === 'DELETE')).toEqual([]);

  await selectTwo();
  await user.click(screen.getByRole('button', { name: 'Delete 2' }));
  await waitFor(() => expect(rows()).toHaveLength(1));
  act(() => void commitPending());
  await waitFor(() =>
    expect(requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path)).toEqual([
      '/threads/conv-1',
      '/threads/conv-2',
    ]),
  );
});

test('a deletion is made as the principal that requested it, also when another one is chosen meanwhile', async () => {
  const principals = ['ada', 'bob'].map((name) => ({ name, claims: { sub: name } }));
  usePrincipal.setState({ principals, active: 'ada' });
  const { requests } = openList([thread('conv-1')], {
    'DELETE /threads/:id': () => new Response(null, { status: 204 }),
  });
  const user = userEvent.setup();
  await screen.findByRole('option');
  await user.keyboard('{Control>}');
  await user.click(screen.getByText('conv-1'));
  await user.keyboard('{/Control}');
  await user.click(screen.getByRole('button', { name: 'Delete 1' }));
  act(() => void usePrincipal.setState({ active: 'bob' }));
  act(() => void commitPending());
  const deletion = await waitFor(() => {
    const found = requests.find(({ method }) => method === 'DELETE');
    expect(found).toBeDefined();
    return found;
  });
  expect(deletion?.headers.get('X-Test-Principal')).toBe('{"sub":"ada"}');
});

test('a refused deletion restores the thread and names operation and resource', async () => {
  openList([thread('conv-1'), thread('conv-2')], {
    'DELETE /threads/:id': () =>
      failure(403, 'permission_denied', 'Denied.', {
        operation: 'service:thread:delete',
        resource: 'mrn:service:thread:conv-1',
      }),
  });
  const user = userEvent.setup();
  await screen.findAllByRole('option');
  await user.keyboard('{Control>}');
  await user.click(screen.getByText('conv-1'));
  await user.keyboard('{/Control}');
  await user.click(screen.getByRole('button', { name: 'Delete 1' }));
  await waitFor(() => expect(rows()).toHaveLength(1));
  act(() => void commitPending());
  await waitFor(() => expect(rows()).toHaveLength(2));
  expect(
    await screen.findByText(
      'The policy denies service:thread:delete on mrn:service:thread:conv-1.',
    ),
  ).toBeVisible();
});

test('a list that cannot be read shows why', async () => {
  openList([], {
    'POST /threads/search': () => failure(401, 'unauthenticated', 'No credentials.'),
  });
  expect(await screen.findByText('The threads could not be read')).toBeVisible();
  expect(screen.getByText('No credentials.')).toBeVisible();
  expect(screen.getByText(/Choose a principal in the header/)).toBeVisible();
});

test('a page that fails is read again on request, not by itself', async () => {
  const first = Array.from({ length: 100 }, (_, index) => thread(`conv-${index}`));
  let isFailing = true;
  const { requests } = openList([], {
    'POST /threads/search': ({ body }) => {
      const { cursor, ids } = body as { cursor?: string; ids?: string[] };
      if (ids !== undefined) return json([], 200);
      if (cursor === undefined) return json(first, 200, { 'X-Pagination-Next': 'next' });
      return isFailing
        ? failure(400, 'invalid_request', 'Not this cursor.')
        : json([thread('last')]);
    },
  });
  const more = () => searches(requests).filter((body) => 'cursor' in (body as object));
  const again = await screen.findByRole('button', { name: 'Try again' });
  expect(screen.getAllByRole('option').length).toBeGreaterThan(0);
  expect(more()).toHaveLength(1);
  isFailing = false;
  await userEvent.click(again);
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull());
  expect(more()).toHaveLength(2);
});

test('a new thread with a taken id offers to open that one', async () => {
  const { router } = openList([thread('conv-1')], {
    'POST /threads': () => failure(409, 'thread_exists', 'conv-1 exists.'),
  });
  await screen.findByRole('option');
  await userEvent.click(screen.getByRole('button', { name: 'New thread' }));
  await userEvent.type(await screen.findByRole('textbox', { name: 'Id' }), 'conv-1{Enter}');
  expect(await screen.findByText('A thread with this id exists.')).toBeVisible();
  await userEvent.type(screen.getByRole('textbox', { name: 'Id' }), '0');
  expect(screen.queryByRole('button', { name: 'Open that one' })).toBeNull();
  await userEvent.type(screen.getByRole('textbox', { name: 'Id' }), '{Backspace}{Enter}');
  await userEvent.click(await screen.findByRole('button', { name: 'Open that one' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/threads/conv-1'));
});
