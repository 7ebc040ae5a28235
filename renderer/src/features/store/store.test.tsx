import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { createQueryClient } from '../../api/query-client.ts';
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
  void commitPending();
  await waitFor(() => expect(deletions()[0]?.query.getAll('namespace')).toEqual(['users', '42']));
});

test('an edit is kept when the item cannot be read again, or when another client changes it', async () => {
  let now: unknown = item;
  fakeService({ ...handlers, 'GET /store/items': () => now });
  const client = createQueryClient();
  renderRoutes(routes, '/store?in=users&in=42&key=name', client);
  const again = () => act(() => client.refetchQueries({ queryKey: ['store', 'item'] }));
  const value = await screen.findByRole('textbox', { name: 'Value' });
  now = { ...item, value: { first: 'Bob' }, updated_at: '2026-11-21T12:00:01Z' };
  await again();
  await waitFor(() => expect(value.textContent).toContain('Bob'));
  await userEvent.click(value);
  await userEvent.keyboard('{Control>}a{/Control}');
  await userEvent.paste('{"first": "Cleo"}');
  now = failure(503, 'service_unavailable', 'The service is stopping.');
  await again();
  expect(await screen.findByText('The item could not be read again')).toBeVisible();
  expect(screen.getByRole('textbox', { name: 'Value' }).textContent).toContain('Cleo');
  now = { ...item, value: { first: 'Dan' }, updated_at: '2026-11-21T12:00:02Z' };
  await again();
  expect(await screen.findByText(/has changed since you started/)).toBeVisible();
  expect(screen.getByRole('textbox', { name: 'Value' }).textContent).toContain('Cleo');
  await userEvent.click(screen.getByRole('button', { name: 'Show the current item' }));
  await waitFor(() =>
    expect(screen.getByRole('textbox', { name: 'Value' }).textContent).toContain('Dan'),
  );
  expect(screen.queryByText(/has changed since you started/)).toBeNull();
});

test('a saved item is shown as saved, until it is edited again', async () => {
  let now = item;
  const { requests } = fakeService({
    ...handlers,
    'GET /store/items': () => now,
    'PUT /store/items': ({ body }) => {
      now = { ...item, ...(body as typeof item), updated_at: '2026-11-21T12:00:03Z' };
      return new Response(null, { status: 204 });
    },
  });
  renderRoutes(routes, '/store?in=users&in=42&key=name');
  await userEvent.click(await screen.findByRole('textbox', { name: 'Value' }));
  await userEvent.keyboard('{Control>}a{/Control}');
  await userEvent.paste('{"first":"Cleo"}');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(requests.some(({ method }) => method === 'PUT')).toBe(true));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Discard changes' })).toBeNull());
  expect(screen.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true);
  expect(screen.queryByText(/has changed since you started/)).toBeNull();
});

test('items stay when they cannot be read again', async () => {
  let isFailing = false;
  fakeService({
    ...handlers,
    'POST /store/items/search': () =>
      isFailing ? failure(500, 'internal', 'The service failed.') : { items: [item] },
  });
  const client = createQueryClient();
  renderRoutes(routes, '/store', client);
  await screen.findByRole('option', { name: /kind=profile/ });
  isFailing = true;
  await act(() => client.refetchQueries({ queryKey: ['store', 'items'] }));
  expect(await screen.findByText('The items could not be read again')).toBeVisible();
  expect(screen.getByRole('option', { name: /kind=profile/ })).toBeVisible();
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
