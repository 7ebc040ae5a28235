import { act, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { Run, ThreadWithValues } from '../../../api/generated/types.gen.ts';
import { failure, fakeService, json } from '../../../test/fake-service.ts';
import { renderRoutes } from '../../../test/render-page.tsx';
import { commitPending } from '../../../ui/undo.tsx';
import { threadsRoutes } from '../index.ts';
// Pages are loaded with their first visit; here before a test's time limit starts.
import '../threads-page.tsx';
import './conversation.tsx';
import './state-tab.tsx';
import './thread-page.tsx';

const time = '2026-11-21T12:00:00.000Z';
const human = { type: 'human', id: 'm1', content: 'Hello' };
const run: Run = {
  run_id: 'conv-1_019aa5c0-7a4e-7cc1-9d2e-3f1b2c4d5e6f',
  thread_id: 'conv-1',
  status: 'completed',
  created_at: time,
  updated_at: time,
  metadata: {},
  agent_id: 'chat',
  max_attempts: 3,
};

function openThread(
  thread: Partial<ThreadWithValues>,
  handlers: Parameters<typeof fakeService>[0] = {},
  { tab = '', newestRun = run }: { tab?: string; newestRun?: Run } = {},
) {
  const whole: ThreadWithValues = {
    thread_id: 'conv-1',
    status: 'idle',
    created_at: time,
    updated_at: time,
    metadata: { team: 'a' },
    values: { messages: [human] },
    ...thread,
  };
  const service = fakeService({
    'POST /threads/search': () => json([], 200, { 'X-Pagination-Total': '0' }),
    'GET /threads/:id': () => whole,
    'GET /threads/:id/runs': () => json([newestRun], 200, { 'X-Pagination-Total': '12' }),
    'GET /agents': () => [{ agent_id: 'chat', name: 'chat' }],
    'GET /agents/:name/schemas': () => ({ input_schema: { properties: { messages: {} } } }),
    ...handlers,
  });
  const { router } = renderRoutes(
    (queryClient) =>
      threadsRoutes(queryClient, [{ path: 'runs/:runId', element: 'page of a run' }]),
    `/threads/conv-1${tab}`,
  );
  return { ...service, router };
}

test('the header shows id, status, agent and metadata; the tabs the number of runs', async () => {
  openThread({ status: 'interrupted' });
  expect(await screen.findByRole('button', { name: 'Copy conv-1' })).toBeVisible();
  const head = screen.getByRole('heading', { level: 1 }).closest('header');
  expect(head?.textContent).toContain('interrupted');
  expect(await screen.findByRole('link', { name: 'chat' })).toBeVisible();
  expect(screen.getByText('team=').parentElement?.textContent).toBe('team=a');
  expect(await screen.findByRole('link', { name: 'Runs 12' })).toBeVisible();
});

test('above a run the thread has one row: its id and its tabs, and nothing that the run repeats', async () => {
  openThread({}, {}, { tab: '/runs/r-1' });
  expect(await screen.findByText('page of a run')).toBeVisible();
  const head = screen.getByRole('heading', { level: 1 }).closest('header');
  expect(await screen.findByRole('link', { name: 'Runs 12' })).toBeVisible();
  expect(head?.textContent).toBe('thread conv-1RunConversationStateRuns 12Checkpoints');
});

test('for a missing thread the page explains what may have happened', async () => {
  openThread(
    {},
    { 'GET /threads/:id': () => failure(404, 'thread_not_found', 'No thread conv-1.') },
  );
  expect(await screen.findByText('Thread conv-1 could not be read')).toBeVisible();
  expect(screen.getByText('It may have been deleted, or its retention is over.')).toBeVisible();
});

test('a pending question is answered in the conversation', async () => {
  const interrupts = [{ id: 'i1', value: { question: 'Refund 250.00?' } }];
  const { requests, router } = openThread(
    { status: 'interrupted', interrupts },
    { 'POST /threads/:id/runs': () => json({ ...run, status: 'running' }, 202) },
  );
  expect(await screen.findByText('Refund 250.00?')).toBeVisible();
  await userEvent.click(screen.getByRole('radio', { name: 'Yes' }));
  await userEvent.click(screen.getByRole('button', { name: 'Resume' }));
  const sent = await waitFor(() => {
    const found = requests.find(({ method, path }) => method === 'POST' && path.endsWith('/runs'));
    expect(found).toBeDefined();
    return found;
  });
  expect(sent?.body).toMatchObject({ agent_id: 'chat', command: { resume: true } });
  expect(router.state.location.pathname).toBe('/threads/conv-1');
});

test('why the newest run failed stays in view, however long the conversation', async () => {
  const error = { code: 'agent_error', message: 'No such order.', type: 'KeyError', node: 'price' };
  openThread({ status: 'error' }, {}, { newestRun: { ...run, status: 'error', error } });
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('KeyError: No such order.');
  expect((await screen.findByText('Hello')).closest('.conversation-scroll')).not.toBeNull();
  expect(alert.closest('.conversation-scroll')).toBeNull();
});

test('a copy without runs has the agent of its source, and its question', async () => {
  const interrupts = [{ id: 'i1', value: { question: 'Refund 250.00?' } }];
  const { requests } = openThread(
    { interrupts },
    {
      'GET /threads/:id/runs': () => json([], 200, { 'X-Pagination-Total': '0' }),
      'GET /agents': () => ['first', 'desk'].map((name) => ({ agent_id: name, name })),
      'POST /threads/search': ({ body }) => {
        const { agent_id } = body as { agent_id?: string };
        return json(agent_id === 'desk' ? [{ thread_id: 'conv-1', metadata: {} }] : []);
      },
      'POST /threads/:id/runs': () => json({ ...run, status: 'running' }, 202),
    },
  );
  expect(await screen.findByRole('link', { name: 'desk' })).toBeVisible();
  expect(await screen.findByText('Refund 250.00?')).toBeVisible();
  await userEvent.type(screen.getByLabelText('Message'), 'And then?{Enter}');
  const sent = await waitFor(() => {
    const found = requests.find(({ method, path }) => method === 'POST' && path.endsWith('/runs'));
    expect(found).toBeDefined();
    return found;
  });
  expect(sent?.body).toMatchObject({ agent_id: 'desk' });
});

test('a sent message is shown at once, and its tokens are streamed', async () => {
  let finish: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => (finish = resolve));
  const chunk = (content: string) =>
    `event: messages\ndata: ${JSON.stringify({ type: 'messages', data: { message: { type: 'AIMessageChunk', id: 'a1', content } } })}\n\n`;
  const { requests } = openThread(
    {},
    {
      'POST /threads/:id/runs': () => json({ ...run, status: 'running' }, 202),
      'GET /threads/:id/runs/:run/stream': () =>
        new Response(
          new ReadableStream({
            start: async (controller) => {
              const encode = (text: string) => controller.enqueue(new TextEncoder().encode(text));
              encode(`id: 1\n${chunk('It goes ')}id: 2\n${chunk('on.')}`);
              await ended;
              encode('id: 3\nevent: done\ndata: {}\n\n');
              controller.close();
            },
          }),
          { headers: { 'Content-Type': 'text/event-stream' } },
        ),
    },
  );
  await screen.findByText('Hello');
  await userEvent.type(screen.getByLabelText('Message'), 'And then?{Enter}');
  expect(await screen.findByText('And then?')).toBeVisible();
  expect(await screen.findByText('It goes on.')).toBeVisible();
  const sent = requests.find(({ method, path }) => method === 'POST' && path.endsWith('/runs'));
  expect(sent?.body).toMatchObject({
    agent_id: 'chat',
    input: { messages: [{ role: 'user', content: 'And then?' }] },
  });
  act(() => finish?.());
});

test('a message is queued behind the active run; the active run is the one that is streamed and cancelled', async () => {
  const atWork: Run = { ...run, status: 'running' };
  const waiting: Run = {
    ...atWork,
    run_id: 'conv-1_019aa5c0-7a4e-7cc1-9d2e-000000000002',
    queue_position: 1,
  };
  const runs = [atWork];
  const { requests } = openThread(
    { status: 'busy' },
    {
      'GET /threads/:id/runs': ({ query }) =>
        json(runs.slice(0, Number(query.get('limit'))), 200, { 'X-Pagination-Total': '2' }),
      'POST /threads/:id/runs': () => {
        runs.unshift(waiting);
        return json(waiting, 202);
      },
      'POST /threads/:id/runs/:run/cancel': () => ({ ...atWork, status: 'cancelling' }),
      'GET /threads/:id/runs/:run/stream': ({ path }) =>
        new Response(
          path.includes(atWork.run_id)
            ? `id: 1\nevent: messages\ndata: ${JSON.stringify({ message: { type: 'AIMessageChunk', id: 'a1', content: 'At work.' } })}\n\n`
            : new ReadableStream(),
          { headers: { 'Content-Type': 'text/event-stream' } },
        ),
    },
  );
  expect(await screen.findByText('At work.')).toBeVisible();
  await userEvent.type(screen.getByLabelText('Message'), 'And later?{Enter}');
  expect(await screen.findByText('queued')).toBeVisible();
  expect(await screen.findByText(/1 run waits/)).toBeVisible();
  const conversation = screen.getByRole('log').textContent ?? '';
  expect(conversation.indexOf('At work.')).toBeLessThan(conversation.indexOf('And later?'));
  await userEvent.click(screen.getByRole('button', { name: 'Cancel run' }));
  const cancelled = requests.find(({ path }) => path.endsWith('/cancel'));
  expect(cancelled?.path).toContain(atWork.run_id);
});

test('a message that was not sent is kept, also while another tab is open', async () => {
  const { router } = openThread(
    {},
    { 'POST /threads/:id/runs': () => failure(503, 'service_stopping', 'The service stops.') },
  );
  await userEvent.type(await screen.findByLabelText('Message'), 'Still here{Enter}');
  expect(await screen.findByText('The message was not sent')).toBeVisible();
  await act(() => router.navigate('/threads/conv-1/state'));
  await screen.findByRole('button', { name: 'Edit' });
  await act(() => router.navigate('/threads/conv-1'));
  const box = await screen.findByLabelText('Message');
  expect(box).toHaveProperty('value', 'Still here');
  await userEvent.type(box, '{Enter}');
  expect(await screen.findByText('The message was not sent')).toBeVisible();
  await userEvent.clear(box);
  expect(screen.queryByText('The message was not sent')).toBeNull();
});

test('the state is shown as a difference before it is sent, and only what changed is', async () => {
  const bodies: unknown[] = [];
  openThread(
    { values: { amount: 250, order: 'A-17' } },
    {
      'POST /threads/:id/state': ({ body }) => {
        bodies.push(body);
        return bodies.length === 1
          ? failure(409, 'thread_busy', 'A run is active.')
          : { checkpoint: { thread_id: 'conv-1', checkpoint_ns: '', checkpoint_id: 'c2' } };
      },
    },
    { tab: '/state' },
  );
  await userEvent.click(await screen.findByRole('button', { name: 'Edit' }));
  const review = await screen.findByRole('button', { name: 'Review changes' });
  expect(review).toHaveProperty('disabled', true);
  const editor = await screen.findByRole('textbox', { name: 'State' });
  await userEvent.click(editor);
  await userEvent.keyboard('{Control>}a{/Control}');
  await userEvent.paste('{"amount": 120, "order": "A-17"}');
  await waitFor(() => expect(review).toHaveProperty('disabled', false));
  await userEvent.click(review);
  expect(bodies).toEqual([]);
  expect(await screen.findByText('120')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Save state' }));
  expect(await screen.findByText(/Your edit is kept here/)).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Save state' }));
  await screen.findByRole('button', { name: 'Edit' });
  expect(bodies).toEqual([{ amount: 120 }, { amount: 120 }]);
});

test('an unfinished edit of the state is restored, and dropped once it is discarded', async () => {
  const { router } = openThread({ values: { amount: 250 } }, {}, { tab: '/state' });
  await userEvent.click(await screen.findByRole('button', { name: 'Edit' }));
  await userEvent.click(await screen.findByRole('textbox', { name: 'State' }));
  await userEvent.keyboard('{Control>}a{/Control}');
  await userEvent.paste('{"amount": 120}');
  await screen.findByText('Sets amount');
  await userEvent.click(screen.getByRole('link', { name: 'Conversation' }));
  await screen.findByText('This thread has no messages');
  await act(() => router.navigate('/threads/conv-1/state'));
  expect(await screen.findByText('Sets amount')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Edit' }));
  expect(await screen.findByText('Nothing is different.')).toBeVisible();
});

test('a message offers its run, its time, and the thread forked or edited from there', async () => {
  const checkpoint = { checkpoint_id: 'c-1', checkpoint_ns: '' };
  const { router, requests } = openThread(
    { values: { messages: [{ ...human, id: 'm-1' }] } },
    {
      'GET /threads/:id/history': () => [
        {
          checkpoint,
          values: { messages: [{ ...human, id: 'm-1' }] },
          metadata: { run_id: 'r-7' },
          created_at: time,
        },
      ],
      'POST /threads/:id/copy': () => ({ thread_id: 'copy-1', status: 'idle', metadata: {} }),
    },
  );
  await screen.findByRole('button', { name: 'Copy the message' });
  expect(requests.some(({ path }) => path.endsWith('/history'))).toBe(false);
  await userEvent.click(screen.getByRole('button', { name: 'More about this message' }));
  expect((await screen.findByRole('menuitem', { name: 'Open its run' })).getAttribute('href')).toBe(
    '/threads/conv-1/runs/r-7',
  );
  expect(screen.getByRole('menuitem', { name: 'Edit from here' }).getAttribute('href')).toBe(
    '/threads/conv-1/checkpoints?at=c-1',
  );
  await userEvent.click(screen.getByRole('menuitem', { name: 'Fork from here' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/threads/copy-1'));
  expect(requests.find(({ path }) => path.endsWith('/copy'))?.body).toEqual({
    checkpoint: { checkpoint_id: 'c-1' },
  });
});

test('a thread without messages opens on its newest run, and its tab is there all the same', async () => {
  const { router } = openThread({ values: { amount: 250 } });
  expect(await screen.findByText('page of a run')).toBeVisible();
  expect(router.state.location.pathname).toBe(`/threads/conv-1/runs/${run.run_id.slice(-36)}`);
  await userEvent.click(screen.getByRole('link', { name: 'Conversation' }));
  expect(await screen.findByText('This thread has no messages')).toBeVisible();
});

test('a large state is not read again while nothing happens, and is when a run has ended', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let newestRun = run;
  const { requests } = openThread(
    { values: { text: 'x'.repeat(300 * 1024) } },
    {
      'POST /threads/search': () => json([{ thread_id: 'conv-1', status: 'idle', metadata: {} }]),
      'GET /threads/:id/runs': () => json([newestRun], 200, { 'X-Pagination-Total': '1' }),
    },
  );
  const reads = () => requests.filter(({ path }) => path === '/threads/conv-1');
  await userEvent.click(await screen.findByRole('link', { name: 'Conversation' }));
  await screen.findByText('This thread has no messages');
  for (let poll = 0; poll < 10; poll += 1) await act(() => vi.advanceTimersByTimeAsync(2_000));
  expect(reads()).toHaveLength(1);
  newestRun = { ...run, run_id: `${run.run_id.slice(0, -1)}0` };
  await act(() => vi.advanceTimersByTimeAsync(2_000));
  await waitFor(() => expect(reads()).toHaveLength(2));
});

test('deleting leaves the page at once; the thread is deleted when the time to undo is over', async () => {
  const { requests, router } = openThread(
    {},
    { 'DELETE /threads/:id': () => new Response(null, { status: 204 }) },
  );
  await userEvent.click(
    await screen.findByRole('button', { name: 'More actions for this thread' }),
  );
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete thread' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/threads'));
  expect(requests.some(({ method }) => method === 'DELETE')).toBe(false);
  act(() => void commitPending());
  await waitFor(() => expect(requests.some(({ method }) => method === 'DELETE')).toBe(true));
});
