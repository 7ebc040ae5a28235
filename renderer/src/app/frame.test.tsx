import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { fakeService, json } from '../test/fake-service.ts';
import { renderRoutes } from '../test/render-page.tsx';
import { Frame } from './frame.tsx';

const health = { status: 'ok', version: '0.1.0', components: { engine: { status: 'ok' } } };

function openFrame(handlers: Parameters<typeof fakeService>[0] = {}) {
  fakeService({
    'GET /health': () => health,
    'GET /info': () => ({ version: '0.1.0' }),
    'POST /threads/search': ({ body }) => {
      const { status } = body as { status: string };
      return json([], 200, { 'X-Pagination-Total': status === 'busy' ? '2' : '1' });
    },
    ...handlers,
  });
  const page = (text: string) => <p>{text}</p>;
  return renderRoutes(
    [
      {
        element: <Frame commands={[]} principalSwitcher={<span>anonymous</span>} />,
        children: [
          { path: '/threads', element: <input aria-label="Filter" /> },
          { path: '/threads/:threadId', element: page('one thread') },
          { path: '/agents', element: page('the agents') },
        ],
      },
    ],
    '/threads',
  );
}

test('the header shows the state of the service and how many threads run and wait', async () => {
  openFrame();
  expect(await screen.findByRole('link', { name: /Service healthy/ })).toBeVisible();
  expect(await screen.findByRole('link', { name: /running 2\s*threads/ })).toBeVisible();
  const waiting = await screen.findByRole('link', { name: /waiting 1\s*thread$/ });
  expect(waiting.getAttribute('href')).toBe('/waiting');
  expect(screen.queryByRole('alert')).toBeNull();
});

test('a failing component opens a line that names it, gives the reason and links to the doctor', async () => {
  const engine = { status: 'failing', message: 'No connection to 127.0.0.1:7233.' };
  openFrame({
    'GET /health': () => json({ ...health, status: 'failing', components: { engine } }, 503),
  });
  const line = await screen.findByRole('alert');
  expect(line.textContent).toContain('The engine is not ready.');
  expect(line.textContent).toContain('No connection to 127.0.0.1:7233.');
  expect(within(line).getByRole('link', { name: 'Doctor' })).toBeVisible();
});

test('a language without a guest leaves the service usable, and marks the agents alone', async () => {
  const guest = { status: 'failing', message: 'There is no python3 on PATH.' };
  const error = { code: 'guest_unavailable', message: 'There is no python3 on PATH.' };
  openFrame({
    'GET /health': () => json({ ...health, status: 'failing', components: { guest } }, 503),
    'GET /agents': () => [{ agent_id: 'chat', error }, { agent_id: 'desk' }],
  });
  expect(await screen.findByRole('link', { name: /Service limited/ })).toBeVisible();
  expect(await screen.findByRole('link', { name: 'Agents, 1 not loaded' })).toBeVisible();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('g then a goes to the agents, but not while typing', async () => {
  const { router } = openFrame();
  const field = screen.getByRole('textbox', { name: 'Filter' });
  await userEvent.type(field, 'ga');
  // A key that was handled as a command types no letter.
  expect(field).toHaveProperty('value', 'ga');
  expect(router.state.location.pathname).toBe('/threads');
  act(() => field.blur());
  await userEvent.keyboard('ga');
  expect(await screen.findByText('the agents')).toBeVisible();
  expect(router.state.location.pathname).toBe('/agents');
});

test('a pasted run id in the palette opens its run', async () => {
  const { router } = openFrame();
  await userEvent.keyboard('{Control>}k{/Control}');
  const id = 'user-42_019aa5c0-7a4e-7cc1-9d2e-3f1b2c4d5e6f';
  const search = await screen.findByLabelText('Command, id or text');
  await userEvent.click(search);
  await userEvent.paste(id);
  expect(await screen.findByText(`Open run ${id}`)).toBeVisible();
  await userEvent.click(screen.getByText('Open thread user-42'));
  await waitFor(() => expect(router.state.location.pathname).toBe('/threads/user-42'));
});

test('the question mark shows all keys', async () => {
  openFrame();
  await userEvent.keyboard('?');
  expect(await screen.findByRole('dialog', { name: 'Keys' })).toBeVisible();
  expect(screen.getByText('Go to threads')).toBeVisible();
});
