import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { commands as settings } from '../features/settings/index.ts';
import { failure, fakeService, json } from '../test/fake-service.ts';
import { renderRoutes } from '../test/render-page.tsx';
import { type Command, useCommands } from '../ui/commands.ts';
import { palette } from './palette-store.ts';
import { Palette } from './palette.tsx';

const uuid = (digit: number): string => `01a1ffd9-042e-7508-92d5-00000000000${digit}`;
const thread = (id: string, title?: string) => ({
  thread_id: id,
  status: 'idle',
  metadata: {},
  ...(title !== undefined && { title }),
});
const runOf = (digit: number, input: string) => ({
  run_id: `t_${uuid(digit)}`,
  thread_id: 't',
  agent_id: 'desk',
  status: 'completed',
  input_preview: input,
});
const command: Command = { id: 'lose', label: 'Lose nothing', group: 'Studio', run: () => {} };

function Page(): null {
  useCommands([command, ...settings]);
  return null;
}

/** The palette, open, over a service that finds something for every text. */
function openPalette(handlers: Parameters<typeof fakeService>[0] = {}) {
  const service = fakeService({
    'GET /agents': () => [
      { agent_id: 'desk', name: 'lost desk', description: 'Finds parcels.' },
      { agent_id: 'chat', name: 'chat', description: 'Talks.' },
    ],
    'POST /threads/search': ({ body }) => {
      const { text } = body as { text?: string };
      const recent = [thread('conv-1', 'Lost parcel'), thread('conv-2', 'A refund')];
      return json(text === undefined ? recent : [recent[0], thread('conv-3', 'About an order')]);
    },
    'POST /runs/search': () =>
      json({ runs: [1, 2, 3, 4, 5, 6].map((digit) => runOf(digit, `lost item ${digit}`)) }),
    ...handlers,
  });
  const frame = (
    <>
      <Page />
      <Palette />
    </>
  );
  const opened = renderRoutes([{ path: '*', element: frame }], '/here');
  act(() => palette.open());
  return { ...service, ...opened };
}

async function type(text: string): Promise<void> {
  await userEvent.click(await screen.findByLabelText('Command, id or text'));
  await userEvent.paste(text);
}

const lines = (): (string | null)[] =>
  within(screen.getByLabelText('Results'))
    .queryAllByRole('button')
    .map(({ textContent }) => textContent);

test('agents, threads by title and by text, and runs are found, each in its section', async () => {
  openPalette();
  await type('los');
  expect(await screen.findByText('lost item 1')).toBeVisible();
  expect(lines()).toEqual([
    'Lose nothing',
    'lost deskFinds parcels.',
    'Lost parcelconv-1idle',
    // That one is found by its title already.
    'About an orderconv-3idle',
    ...[1, 2, 3, 4, 5].map((digit) => `lost item ${digit}deskcompleted`),
    'Show all of these',
    'Open thread los',
  ]);
});

test('a text is searched once it is typed, not with every letter', async () => {
  const { requests } = openPalette();
  const field = await screen.findByLabelText('Command, id or text');
  for (const value of ['pa', 'parc', 'parcel']) fireEvent.change(field, { target: { value } });
  expect(await screen.findByText('lost item 1')).toBeVisible();
  const searched = requests.filter(({ path }) => path === '/runs/search');
  expect(searched.map(({ body }) => body)).toEqual([{ text: 'parcel', limit: 6 }]);
});

test('the keyboard moves through what is found and opens it', async () => {
  const { router } = openPalette();
  await type('lost');
  expect(await screen.findByText('lost item 1')).toBeVisible();
  await userEvent.keyboard('{ArrowDown}{Enter}');
  await waitFor(() => expect(router.state.location.pathname).toBe('/threads/conv-1'));
});

/** Threads are found by their text only when the test sends them. */
function withLateThreads() {
  let send: ((threads: unknown) => void) | undefined;
  const opened = openPalette({
    'GET /agents': () => [],
    'POST /threads/search': ({ body }) =>
      'text' in (body as object) ? new Promise((resolve) => (send = resolve)) : [],
  });
  const arrive = async (): Promise<void> => {
    act(() => send?.([thread('conv-3', 'About an order')]));
    expect(await screen.findByText('About an order')).toBeVisible();
  };
  return { ...opened, arrive };
}

test('Enter opens the first result, also when it came after others', async () => {
  const { router, arrive } = withLateThreads();
  await type('item');
  expect(await screen.findByText('lost item 1')).toBeVisible();
  await arrive();
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(router.state.location.pathname).toBe('/threads/conv-3'));
});

test('what a person has moved to stays selected when results come above it', async () => {
  const { router, arrive } = withLateThreads();
  await type('item');
  expect(await screen.findByText('lost item 1')).toBeVisible();
  await userEvent.keyboard('{ArrowDown}');
  await arrive();
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(router.state.location.pathname).toContain(uuid(2)));
});

test('a section with more leads to all of it', async () => {
  const { router } = openPalette();
  await type('lost');
  await userEvent.click(await screen.findByText('Show all of these'));
  await waitFor(() => expect(router.state.location.pathname).toBe('/runs'));
  expect(router.state.location.search).toBe('?q=lost');
});

test('a search that fails is one line; the rest of the palette works', async () => {
  openPalette({
    'POST /runs/search': () => failure(500, 'internal', 'The database is gone.'),
  });
  await type('lo');
  expect((await screen.findByRole('status')).textContent).toContain('The database is gone.');
  expect(screen.getByText('Lost parcel')).toBeVisible();
  expect(screen.getByText('Lose nothing')).toBeVisible();
});

test('without a run history threads are found by their titles, and a line explains why', async () => {
  const off = () => failure(503, 'history_disabled', 'The run history is off.');
  openPalette({
    'POST /threads/search': ({ body }) =>
      'text' in (body as object) ? off() : [thread('conv-1', 'Lost parcel')],
    'POST /runs/search': off,
  });
  await type('parcel');
  expect((await screen.findByRole('status')).textContent).toBe(
    'Messages and runs are not searched: the run history is off.',
  );
  expect(screen.getByText('Lost parcel')).toBeVisible();
});

test('a setting is found by any part of its name, and only when it is searched for', async () => {
  const { router } = openPalette();
  expect(await screen.findByText('Lose nothing')).toBeVisible();
  expect(screen.queryByText('Colours')).toBeNull();
  await type('lour');
  await userEvent.click(await screen.findByText('Colours'));
  await waitFor(() => expect(router.state.location.search).toBe('?setting=colours'));
});

test('the focus is back where it was, also when it was opened before the browser was idle', async () => {
  fakeService({ 'GET /agents': () => [], 'POST /threads/search': () => json([]) });
  const frame = (
    <>
      <button type="button">Here</button>
      <Palette />
    </>
  );
  renderRoutes([{ path: '*', element: frame }], '/here');
  const button = await screen.findByRole('button', { name: 'Here' });
  await userEvent.tab();
  expect(document.activeElement).toBe(button);
  act(() => palette.open());
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getByLabelText('Command, id or text')),
  );
  await userEvent.keyboard('{Escape}');
  await waitFor(() => expect(document.activeElement).toBe(button));
});
