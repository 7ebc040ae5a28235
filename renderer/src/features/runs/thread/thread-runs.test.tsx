import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { failure } from '../../../test/fake-service.ts';
import { openAt, run } from '../runs-fixture.tsx';
import { useSentRuns } from '../../../api/sent-runs.ts';
import { threadKeys } from '../../../api/queries/thread-keys.ts';

beforeEach(() => useSentRuns.setState({ runs: [] }));

test('a thread without runs explains what will be here and offers the first one', async () => {
  const { router } = openAt('/threads/made/runs', { 'GET /threads/:id/runs': () => [] });
  // A command that can be pasted: with the URL, not with a variable that is not set.
  expect((await screen.findByText(/^curl /)).textContent).toMatch(
    /'http[^ ]*\/threads\/made\/runs' /,
  );
  await userEvent.click(await screen.findByRole('button', { name: 'Run an agent' }));
  expect(router.state.location.search).toBe('?compose=1');
});

test('the question of a copy without runs is answered by the agent of its source', async () => {
  const { requests, router } = openAt('/threads/copy/runs', {
    'GET /threads/:id/runs': () => [],
    'POST /threads/search': ({ body }) =>
      (body as { agent_id?: string }).agent_id === 'desk' ? [{ thread_id: 'copy' }] : [],
    'GET /agents': () =>
      ['approval', 'desk'].map((name) => ({ agent_id: name, name, capabilities: {} })),
    'POST /threads/:id/state/checkpoint': () => ({
      thread_id: 'copy',
      values: {},
      interrupts: [{ id: 'q1', value: { question: 'Refund 250.00?', options: ['yes', 'no'] } }],
      checkpoint: { thread_id: 'copy', checkpoint_ns: '', checkpoint_id: 'checkpoint-1' },
    }),
  });
  await waitFor(() =>
    expect(requests.some(({ body }) => (body as { agent_id?: string })?.agent_id === 'desk')).toBe(
      true,
    ),
  );
  await userEvent.click(await screen.findByRole('radio', { name: 'yes' }));
  await userEvent.click(screen.getByRole('button', { name: 'Resume' }));
  await waitFor(() => expect(router.state.location.pathname).toContain('/threads/made/runs/'));
  const answer = requests.find(
    ({ method, path }) => method === 'POST' && path === '/threads/copy/runs',
  );
  expect(answer?.body).toMatchObject({ agent_id: 'desk', command: { resume: 'yes' } });
});

test('the list of runs opens one', async () => {
  const { router } = openAt('/threads/made/runs');
  const row = await screen.findByRole('option', { name: /running/ });
  await userEvent.click(within(row).getByText('approval'));
  await waitFor(() =>
    expect(router.state.location.pathname).toBe(
      '/threads/made/runs/01a1ffd9-042e-7508-92d5-aa758258de62',
    ),
  );
});

test('the list of runs stays when it cannot be read again', async () => {
  let isFailing = false;
  const { client } = openAt('/threads/made/runs', {
    'GET /threads/:id/runs': () =>
      isFailing ? failure(500, 'internal', 'The service failed.') : [run],
  });
  await screen.findByRole('option', { name: /running/ });
  isFailing = true;
  await act(() => client.refetchQueries({ queryKey: threadKeys.runs('made') }));
  expect(await screen.findByText('The runs could not be read again')).toBeVisible();
  expect(screen.getByRole('option', { name: /running/ })).toBeVisible();
});

test('the list of runs compares two', async () => {
  const other = {
    ...run,
    run_id: 'made_01a1ffd9-042e-7508-92d5-000000000002',
    status: 'completed',
  };
  const { router } = openAt('/threads/made/runs', { 'GET /threads/:id/runs': () => [run, other] });
  await screen.findByRole('listbox', { name: 'Runs' });
  const [first] = await screen.findAllByTitle(/^Compare with another run/);
  if (first === undefined) throw new Error('no row to compare');
  await userEvent.click(first);
  expect(await screen.findByTitle(/^Compared with the next one/)).toBeVisible();
  await userEvent.click(screen.getByTitle(/^Compare with the run chosen before/));
  await waitFor(() => expect(router.state.location.pathname).toBe('/runs/compare'));
  expect(router.state.location.search).toBe(`?a=${run.run_id}&b=${other.run_id}`);
});

test('a run whose events were deleted is not compared as one without events', async () => {
  const other = { ...run, run_id: 'made_01a1ffd9-042e-7508-92d5-000000000002' };
  const done = 'id: 9\nevent: done\ndata: {}\n\n';
  const values = (n: number): string => `id: ${n}\nevent: values\ndata: {"n":${n}}\n\n`;
  const stream = (text: string): Response =>
    new Response(text, { headers: { 'Content-Type': 'text/event-stream' } });
  openAt(`/runs/compare?a=${run.run_id}&b=${other.run_id}`, {
    'GET /runs/:id': ({ path }) => ({
      ...(path.endsWith(run.run_id) ? run : other),
      status: 'completed',
    }),
    'GET /threads/:id/runs/:run/stream': ({ path }) =>
      stream(
        path.includes('000000000002')
          ? `: gap\n\n${values(0)}${done}`
          : values(1) + values(2) + done,
      ),
  });
  expect(await screen.findByText(/^The events of B are no longer kept/)).toBeVisible();
  const row = await screen.findByRole('row', { name: /^values/ });
  expect([...row.children].map(({ textContent }) => textContent)).toEqual(['values', '2', '–', '']);
});

test('runs of two threads are compared by the recorded time per node, tokens and cost', async () => {
  const other = { ...run, run_id: 'else_01a1ffd9-042e-7508-92d5-000000000003', thread_id: 'else' };
  const node = (name: string, duration_ms: number) => ({ kind: 'node', name, duration_ms });
  openAt(`/runs/compare?a=${run.run_id}&b=${other.run_id}`, {
    'GET /runs/:id': ({ path }) => (path.endsWith(run.run_id) ? run : other),
    'GET /runs/:id/trace': ({ path }) => {
      const isFirst = path.includes(run.run_id);
      const tokens = { input: 0, output: 0, total: isFirst ? 100 : 250 };
      return {
        run: { tokens, cost: isFirst ? 0.5 : 0.75, ended_at: run.updated_at },
        spans: [node('plan', isFirst ? 100 : 40), node('plan', 5)],
      };
    },
  });
  const cells = async (name: RegExp): Promise<(string | null)[]> =>
    [...(await screen.findByRole('row', { name })).children].map(({ textContent }) => textContent);
  expect(await cells(/^plan/)).toEqual(['plan', '105 ms', '45 ms', '−60 ms']);
  expect(await cells(/^tokens/)).toEqual(['tokens', '100', '250', '+150']);
  expect(await cells(/^cost/)).toEqual(['cost', '0.50', '0.75', '+0.25']);
});
