import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { failure, json } from '../../../test/fake-service.ts';
import { openAt, run } from '../runs-fixture.tsx';
// Pages are loaded with their first visit; here before a test's time limit starts.
import './waiting-page.tsx';

const uuid = (digit: number): string => `01a1ffd9-042e-7508-92d5-00000000000${digit}`;

function asking(thread: string, question: string, digit: number) {
  return {
    ...run,
    run_id: `${thread}_${uuid(digit)}`,
    thread_id: thread,
    status: 'interrupted',
    output: { __interrupt__: [{ id: `q-${thread}`, value: { question } }] },
  };
}

const runs: Readonly<Record<string, object>> = {
  'refund-1': asking('refund-1', 'Refund 250.00?', 1),
  'refund-2': asking('refund-2', 'Refund 9.99?', 2),
};

const thread = (id: string, minute: number, title?: string) => ({
  thread_id: id,
  status: 'interrupted',
  created_at: run.created_at,
  updated_at: run.created_at,
  metadata: {},
  last_activity_at: `2026-11-21T12:0${minute}:00.000Z`,
  ...(title !== undefined && { title }),
});

/** Two threads that wait; `found` changes what the next search finds. */
function openWaiting(handlers: Parameters<typeof openAt>[1] = {}) {
  const state = { found: [thread('refund-2', 5), thread('refund-1', 1, 'Refund of order A-17')] };
  const opened = openAt('/waiting', {
    'POST /threads/search': () =>
      json(state.found, 200, { 'X-Pagination-Total': String(state.found.length) }),
    'GET /threads/:id/runs': ({ path }) => [runs[path.split('/')[2] ?? '']],
    'POST /threads/:id/state/checkpoint': ({ path }) => {
      const id = path.split('/')[2] ?? '';
      return {
        values: {},
        interrupts: [{ id: `q-${id}`, value: {} }],
        checkpoint: { thread_id: id, checkpoint_ns: '', checkpoint_id: 'checkpoint-1' },
      };
    },
    ...handlers,
  });
  return { ...opened, state };
}

test('lists what waits in all threads, longest first, by their titles', async () => {
  openWaiting();
  expect(await screen.findByText('Refund 250.00?')).toBeVisible();
  expect(await screen.findByText('Refund 9.99?')).toBeVisible();
  expect(screen.getAllByRole('listitem').map((item) => item.getAttribute('aria-label'))).toEqual([
    'Refund of order A-17',
    'refund-2',
  ]);
});

test('an answer is sent in place; its row stays and shows what became of it', async () => {
  const next = { ...run, run_id: `refund-1_${uuid(3)}`, thread_id: 'refund-1' };
  const { requests, router, state } = openWaiting({ 'POST /threads/:id/runs': () => next });
  const row = within(await screen.findByRole('listitem', { name: 'Refund of order A-17' }));
  await userEvent.click(await row.findByRole('radio', { name: 'Yes' }));
  state.found = [thread('refund-2', 5)];
  await userEvent.click(row.getByRole('button', { name: 'Resume' }));
  expect(await row.findByText(/Answered/)).toBeVisible();
  expect(row.getByRole('link', { name: 'Open run' }).getAttribute('href')).toContain(uuid(3));
  const sent = requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/runs'));
  expect(sent.map(({ path, body }) => [path, body])).toMatchObject([
    ['/threads/refund-1/runs', { agent_id: 'approval', command: { resume: true } }],
  ]);
  expect(router.state.location.pathname).toBe('/waiting');
});

test('a question that was answered elsewhere leaves the list', async () => {
  const { state, client } = openWaiting();
  expect(await screen.findByText('Refund 9.99?')).toBeVisible();
  state.found = [thread('refund-1', 1)];
  await client.invalidateQueries({ queryKey: ['threads', 'waiting'] });
  await waitFor(() => expect(screen.queryByText('Refund 9.99?')).toBeNull());
  expect(screen.getByText('Refund 250.00?')).toBeVisible();
});

test('without anything that waits the page explains what will be here', async () => {
  openWaiting({ 'POST /threads/search': () => json([], 200, { 'X-Pagination-Total': '0' }) });
  expect(await screen.findByText('Nothing waits for an answer')).toBeVisible();
});

test('a search that fails is shown, and can be repeated', async () => {
  openWaiting({
    'POST /threads/search': () => failure(503, 'engine_unavailable', 'The engine is not ready.'),
  });
  expect(await screen.findByText('The questions could not be read')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Try again' })).toBeVisible();
});

test('one question that cannot be read does not hide the others', async () => {
  openWaiting({
    'GET /threads/:id/runs': ({ path }) =>
      path.includes('refund-1') ? failure(500, 'internal', 'Broken.') : [runs['refund-2']],
  });
  expect(await screen.findByText('Refund 9.99?')).toBeVisible();
  expect(await screen.findByText('The question could not be read')).toBeVisible();
});
