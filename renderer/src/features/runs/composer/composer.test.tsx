import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { failure } from '../../../test/fake-service.ts';
import { offeredCommands } from '../../../ui/commands.ts';
import { openAt, run } from '../runs-fixture.tsx';
import { useSentRuns } from '../../../api/sent-runs.ts';

beforeEach(() => useSentRuns.setState({ runs: [] }));
const service = window.location.origin;

test('a form made from the agent’s schema sends a run on a new thread and opens it', async () => {
  const { requests, router } = openAt('/here?compose=1');
  await userEvent.type(await screen.findByLabelText(/^order/), 'A-17');
  await userEvent.type(screen.getByLabelText(/^amount/), '250');
  await userEvent.click(screen.getByRole('button', { name: 'Run' }));
  await waitFor(() => expect(router.state.location.pathname).toContain('/threads/made/runs/'));
  const sent = requests.find(({ method, path }) => method === 'POST' && path.endsWith('/runs'));
  expect(sent?.body).toEqual({
    agent_id: 'approval',
    input: { order: 'A-17', amount: 250 },
    stream_mode: ['values', 'updates', 'messages', 'custom', 'tasks', 'calls', 'lifecycle'],
    stream_subgraphs: true,
  });
});

test('a form made from the agent’s context schema sends the run’s context', async () => {
  const user = userEvent.setup(); // with a clipboard
  const { requests } = openAt('/here?compose=1', {
    'GET /agents/:name/schemas': () => ({
      input_schema: { type: 'object', properties: { order: { type: 'string' } } },
      output_schema: {},
      context_schema: {
        type: 'object',
        properties: { tone: { type: 'string' }, n: { type: 'integer', default: 3 } },
        required: ['tone'],
      },
    }),
  });
  const context = within(await screen.findByRole('region', { name: 'Context' }));
  await user.type(await context.findByLabelText(/^tone/), 'warm');
  expect(context.getByLabelText(/^n/)).toHaveProperty('placeholder', 'default: 3');
  const sent = () =>
    requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/runs'));
  await user.click(context.getByRole('tab', { name: 'JSON' }));
  expect(context.getByRole('textbox', { name: 'Context as JSON' }).textContent).toContain('warm');
  await user.click(screen.getByRole('button', { name: 'Copy as' }));
  await user.click(await screen.findByRole('menuitem', { name: 'cURL' }));
  expect(await navigator.clipboard.readText()).toContain('"tone": "warm"');
  await user.click(screen.getByRole('button', { name: 'Run' }));
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]?.body).toMatchObject({ input: {}, context: { tone: 'warm' } });
});

test('an agent without a context schema has no context field, and is not sent that of another', async () => {
  const agents = ['approval', 'desk'].map((name) => ({ agent_id: name, name, capabilities: {} }));
  const body = { agent_id: 'approval', input: { order: 'A-17' }, context: { tone: 'warm' } };
  useSentRuns.setState({
    runs: [{ runId: 'made_1', threadId: 'made', service, isStateless: false, sentAt: 1, body }],
  });
  const { requests } = openAt('/here?compose=1&for=approval', { 'GET /agents': () => agents });
  // A context that was sent is shown, whatever the agent's current schema.
  expect(await screen.findByRole('textbox', { name: 'Context as JSON' })).toBeVisible();
  await userEvent.click(screen.getByRole('combobox', { name: 'Agent' }));
  await userEvent.click(await screen.findByRole('option', { name: 'desk' }));
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Context' })).toBeNull());
  await userEvent.click(screen.getByRole('button', { name: 'Run' }));
  await waitFor(() => expect(requests.some(({ method }) => method === 'POST')).toBe(true));
  for (const { body: sent } of requests) expect(sent ?? {}).not.toHaveProperty('context');
});

test('a URL with an agent opens the composer for it, with its last request', async () => {
  const sent = (agent_id: string, order: string, sentAt: number) => ({
    ...{ runId: `made_${sentAt}`, threadId: 'made', service, isStateless: false, sentAt },
    body: { agent_id, input: { order } },
  });
  useSentRuns.setState({ runs: [sent('approval', 'A-17', 2), sent('desk', 'B-4', 1)] });
  const agents = ['approval', 'desk'].map((name) => ({ agent_id: name, name, capabilities: {} }));
  const { router } = openAt('/here?compose=1&for=desk', { 'GET /agents': () => agents });
  expect(await screen.findByLabelText(/^order/)).toHaveProperty('value', 'B-4');
  expect(screen.getByRole('combobox', { name: 'Agent' })).toHaveProperty('value', 'desk');
  await router.navigate('/here?compose=1&for=approval');
  await waitFor(() => expect(screen.getByLabelText(/^order/)).toHaveProperty('value', 'A-17'));
  expect(screen.getByRole('combobox', { name: 'Agent' })).toHaveProperty('value', 'approval');
});

test('a URL with an agent without an earlier request opens an empty composer', async () => {
  const body = { agent_id: 'approval', input: { order: 'A-17' } };
  useSentRuns.setState({
    runs: [{ runId: 'made_1', threadId: 'made', service, isStateless: false, sentAt: 1, body }],
  });
  const agents = ['approval', 'desk'].map((name) => ({ agent_id: name, name, capabilities: {} }));
  const { requests } = openAt('/here?compose=1&for=desk', { 'GET /agents': () => agents });
  expect(await screen.findByLabelText(/^order/)).toHaveProperty('value', '');
  await userEvent.type(screen.getByLabelText(/^order/), 'B-4');
  await userEvent.click(screen.getByRole('button', { name: 'Run' }));
  const sent = await waitFor(() => {
    const found = requests.find(({ method, path }) => method === 'POST' && path.endsWith('/runs'));
    expect(found).toBeDefined();
    return found;
  });
  expect(sent?.body).toMatchObject({ agent_id: 'desk', input: { order: 'B-4' } });
});

test('requests to another service are no drafts here', async () => {
  const body = { agent_id: 'approval', input: { order: 'A-17' } };
  const elsewhere = { service: '/other', runId: 'made_1', threadId: 'made', sentAt: 1, body };
  useSentRuns.setState({ runs: [{ ...elsewhere, isStateless: false }] });
  openAt('/here?compose=1');
  expect(await screen.findByLabelText(/^order/)).toHaveProperty('value', '');
});

test('missing fields are not reported before anything is typed', async () => {
  openAt('/here?compose=1');
  const amount = await screen.findByLabelText(/^amount/);
  expect(screen.queryByText('order is missing.')).toBeNull();
  await userEvent.type(amount, '2');
  expect(await screen.findByText('order is missing.')).toBeVisible();
  await userEvent.clear(amount);
  await waitFor(() => expect(screen.queryByText('order is missing.')).toBeNull());
});

test('the service’s error about a run is shown, and no typed text is lost', async () => {
  openAt('/here?compose=1', {
    'POST /threads/:id/runs': () =>
      Response.json(
        { code: 'agent_not_found', message: 'There is no such agent.', metadata: {} },
        { status: 404 },
      ),
  });
  await userEvent.type(await screen.findByLabelText(/^order/), 'A-17');
  await userEvent.click(screen.getByRole('button', { name: 'Run' }));
  expect(await screen.findByText('The run was not created')).toBeVisible();
  expect(screen.getByLabelText<HTMLTextAreaElement>(/^order/).value).toBe('A-17');
});

test('Ctrl+Enter, held, starts one run', async () => {
  const { requests } = openAt('/here?compose=1');
  const field = await screen.findByLabelText(/^order/);
  await userEvent.type(field, 'A-17');
  const press = (repeat: boolean): boolean =>
    fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true, repeat });
  press(false);
  for (let held = 0; held < 10; held += 1) press(true);
  const sent = () =>
    requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/runs'));
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(
    requests.filter(({ method, path }) => `${method} ${path}` === 'POST /threads'),
  ).toHaveLength(1);
});

test('a refused run leaves no thread behind, and the next attempt starts as the first', async () => {
  const bodies: unknown[] = [];
  const { requests, router } = openAt('/here?compose=1', {
    'POST /threads/:id/runs': ({ body }) => {
      bodies.push(body);
      return bodies.length === 1 ? failure(409, 'agent_error', 'The agent was not loaded.') : run;
    },
    'DELETE /threads/:id': () => new Response(null, { status: 204 }),
  });
  await userEvent.type(await screen.findByLabelText(/^order/), 'A-17');
  await userEvent.click(screen.getByRole('button', { name: 'Run' }));
  expect(await screen.findByText('The run was not created')).toBeVisible();
  const deleted = requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
  expect(deleted).toEqual(['/threads/made']);
  await userEvent.click(screen.getByRole('button', { name: 'Run' }));
  await waitFor(() => expect(router.state.location.pathname).toContain('/threads/made/runs/'));
  expect(requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
});

test('a composer that a key has opened begins at its first field', async () => {
  openAt('/threads/made/runs');
  await screen.findByRole('option', { name: /running/ });
  act(() =>
    offeredCommands()
      .find(({ keys }) => keys === 'r')
      ?.run({ navigate: () => undefined }),
  );
  const agent = await screen.findByRole('combobox', { name: 'Agent' });
  await waitFor(() => expect(document.activeElement).toBe(agent));
});

test('a URL with a checkpoint opens the composer at it, to continue from there', async () => {
  openAt('/threads/made/runs?compose=1&checkpoint=checkpoint-1');
  expect(await screen.findByRole('dialog', { name: 'Run on thread made' })).toBeVisible();
  expect(await screen.findByDisplayValue('checkpoint-1')).toBeVisible();
  expect(screen.getByText(/Continues from the checkpoint below/)).toBeVisible();
});

test('a run sent from the composer over a thread opens, and the composer closes', async () => {
  const { router } = openAt('/threads/made/runs?compose=1');
  await userEvent.type(await screen.findByLabelText(/^order/), 'A-17');
  await userEvent.click(screen.getByRole('button', { name: 'Run' }));
  await waitFor(() => expect(router.state.location.pathname).toContain('/threads/made/runs/01a1'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(router.state.location.pathname).toContain('/threads/made/runs/01a1');
});

test('a problem in a folded part is shown next to the button', async () => {
  openAt('/here?compose=1');
  await userEvent.type(await screen.findByLabelText(/^order/), 'A-17');
  const modes = screen.getByRole('group', { name: 'Stream modes', hidden: true });
  for (const box of within(modes).getAllByRole('checkbox', { hidden: true }))
    await userEvent.click(box);
  await userEvent.click(screen.getByRole('button', { name: 'Run' }));
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toBe('Stream modes: Choose at least one.');
  expect(alert.closest('.composer-fields')).toBeNull();
});

test('the draft is kept when the composer is closed by mistake', async () => {
  const { router } = openAt('/threads/made/runs?compose=1');
  await userEvent.type(await screen.findByLabelText(/^order/), 'A-17');
  await userEvent.click(screen.getByRole('button', { name: 'Close the composer' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await router.navigate('/threads/made/runs?compose=1');
  expect((await screen.findByLabelText<HTMLTextAreaElement>(/^order/)).value).toBe('A-17');
});

test('a part of the composer stays open while its checkpoint is removed', async () => {
  openAt('/threads/made/runs?compose=1&checkpoint=checkpoint-1');
  const field = await screen.findByDisplayValue('checkpoint-1');
  await userEvent.clear(field);
  expect(field.closest('details')?.open).toBe(true);
});

test('a key opens the composer over any page, and closing it leaves the page as it was', async () => {
  const { router } = openAt('/here?ns=users');
  await screen.findByText('A page');
  act(() =>
    offeredCommands()
      .find(({ keys }) => keys === 'r')
      ?.run({ navigate: () => undefined }),
  );
  expect(await screen.findByRole('dialog', { name: 'New run' })).toBeVisible();
  expect(screen.getByText('A page')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Close the composer' }));
  expect(router.state.location.pathname).toBe('/here');
  expect(router.state.location.search).toBe('?ns=users');
});

test('a run without a thread is stateless', async () => {
  const { requests } = openAt('/here?compose=1', { 'POST /runs': () => run });
  await userEvent.type(await screen.findByLabelText(/^order/), 'A-17');
  await userEvent.click(screen.getByRole('radio', { name: 'No thread' }));
  expect(screen.getByText('Deleted after 72 hours')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Run' }));
  await waitFor(() => expect(requests.some(({ path }) => path === '/runs')).toBe(true));
  expect(requests.some(({ method, path }) => `${method} ${path}` === 'POST /threads')).toBe(false);
});

test('the composer starts with the recorded input of a run that was sent elsewhere', async () => {
  openAt(`/here?compose=1&input_of=${run.run_id}`, {
    'GET /runs/:id': () => run,
    'GET /runs/:id/input': () => ({ kind: 'input', input: { order: 'C-9' } }),
  });
  expect(await screen.findByRole('dialog', { name: 'Run on thread made' })).toBeVisible();
  expect(await screen.findByLabelText(/^order/)).toHaveProperty('value', 'C-9');
});
