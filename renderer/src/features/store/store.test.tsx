import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { failure, fakeService } from '../../test/fake-service.ts';
import { renderRoutes } from '../../test/render-page.tsx';
import { commitPending } from '../../ui/undo.tsx';
import { routes } from './index.ts';
// The page is loaded with its first visit; here before a test's time limit starts.
import './page.tsx';

const item = {
  namespace: ['users', '42'],
  key: 'name',
  value: { first: 'Ada' },
  metadata: { kind: 'profile' },
  created_at: '2026-11-21T12:00:00Z',
  updated_at: '2026-11-21T12:00:00Z',
};
const handlers = {
  'POST /store/namespaces': () => ({ namespaces: [['users', '42'], ['agents']] }),
  'POST /store/items/search': () => ({ items: [item] }),
  'GET /store/items': () => item,
  'DELETE /store/items': () => new Response(null, { status: 204 }),
  'PUT /store/items': () => new Response(null, { status: 204 }),
};

test('a store that is off explains the setting', async () => {
  fakeService({
    'POST /store/namespaces': () => failure(404, 'store_disabled', 'The store is off.'),
  });
  renderRoutes(routes, '/store');
  expect(await screen.findByText('The store is off')).toBeVisible();
  expect(screen.getByText('SERVICE_STORE_PROVIDER=sqlite')).toBeVisible();
});

test('items are searched on the chosen namespace, by metadata', async () => {
  const { requests } = fakeService(handlers);
  renderRoutes(routes, '/store?ns=users');
  await screen.findByRole('option', { name: /kind=profile/ });
  await userEvent.type(screen.getByLabelText('Filter by metadata'), 'kind=profile');
  const searches = () => requests.filter(({ path }) => path === '/store/items/search');
  await waitFor(() =>
    expect(searches().at(-1)?.body).toMatchObject({
      namespace: ['users'],
      filter: { kind: 'profile' },
    }),
  );
});

test('deleting an item can be undone; otherwise it is deleted', async () => {
  const { requests } = fakeService(handlers);
  const deletions = () => requests.filter(({ method }) => method === 'DELETE');
  renderRoutes(routes, '/store?in=users&in=42&key=name');
  await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
  expect(screen.queryByRole('option', { name: /name/ })).toBeNull();
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  const row = await screen.findByRole('option', { name: /name/ });
  expect(deletions()).toEqual([]);
  await userEvent.click(row.firstElementChild ?? row);
  await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
  commitPending();
  await waitFor(() => expect(deletions()[0]?.query.getAll('namespace')).toEqual(['users', '42']));
});

test('a new item is put under its namespace and key', async () => {
  const { requests } = fakeService(handlers);
  renderRoutes(routes, '/store?new=');
  await userEvent.type(await screen.findByLabelText('Namespace'), 'users / 7');
  await userEvent.type(screen.getByLabelText('Key'), 'note');
  await userEvent.click(screen.getByRole('button', { name: 'Create item' }));
  const put = await waitFor(() => {
    const found = requests.find(({ method }) => method === 'PUT');
    expect(found).toMatchObject({ body: { value: {}, metadata: {} } });
    return found;
  });
  expect([put?.query.getAll('namespace'), put?.query.get('key')]).toEqual([['users', '7'], 'note']);
});

test('a discarded new item is not stored', async () => {
  const { requests } = fakeService(handlers);
  renderRoutes(routes, '/store?new=');
  await userEvent.type(await screen.findByLabelText('Key'), 'note');
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(await screen.findByText('No item is open')).toBeVisible();
  expect(screen.getByRole('option', { name: /kind=profile/ })).toBeVisible();
  expect(requests.filter(({ method }) => method === 'PUT')).toEqual([]);
});

test('the back button leads from an item to the list, not out of the store', async () => {
  fakeService(handlers);
  const { router } = renderRoutes(routes, '/store?ns=users');
  await userEvent.type(await screen.findByLabelText('Filter by metadata'), 'kind=profile');
  await userEvent.click(await screen.findByText('kind=profile'));
  await waitFor(() => expect(router.state.location.search).toContain('key=name'));
  await router.navigate(-1);
  await waitFor(() => expect(router.state.location.search).toBe('?ns=users&filter=kind%3Dprofile'));
});
